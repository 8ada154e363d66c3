"""NVIDIA's GPU operator: device plugin, node labels and metrics; driver and toolkit come with the AMI."""

from components.chart import Chart
from components.helm_chart import HelmChartArgs


def gpu_operator(namespace: str, chart: Chart, timeout_seconds: int, *, monitored: bool) -> HelmChartArgs:
    """Return what makes nvidia.com/gpu and the labels of GPU nodes appear.

    Args:
        namespace: exists already.
        chart: its version and where it comes from.
        timeout_seconds: how long an installation may take.
        monitored: whether Prometheus's definitions are there; the chart's ServiceMonitor would fail without
            them.

    """
    # NVIDIA/gpu-operator v26.7.0 deployments/gpu-operator/values.yaml.
    values = {
        # AWS's AL2023 NVIDIA images bring both; a second driver would not load, and a second toolkit would
        # write the same containerd configuration.
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        # Memory that is coherent with the Grace CPU excludes MIG on GB200.
        "migManager": {"enabled": False},
        "devicePlugin": {"enabled": True},
        "nfd": {"enabled": True},
        "gfd": {"enabled": True},
        # The chart turned this from off to on between 25.10 and 26.7.
        "dcgmExporter": {"enabled": True, "serviceMonitor": {"enabled": monitored}},
        # The DRA driver is a release of its own: two of them would claim the same nodes.
        "draDriver": {"gpus": {"enabled": False}, "computeDomains": {"enabled": False}},
    }
    return HelmChartArgs(
        component="GpuOperator",
        chart=chart,
        release_name="gpu-operator",
        namespace=namespace,
        values=values,
        timeout_seconds=timeout_seconds,
    )
