"""The device plugin that offers a node's EFA interfaces as vpc.amazonaws.com/efa."""

from components.chart import Chart
from components.helm_chart import HelmChartArgs


def efa_device_plugin(
    namespace: str, chart: Chart, timeout_seconds: int, *, instance_types: tuple[str, ...]
) -> HelmChartArgs:
    """Return one DaemonSet on the nodes that have EFA.

    Args:
        namespace: exists already.
        chart: its version and where it comes from.
        timeout_seconds: how long an installation may take.
        instance_types: of the pools with EFA: the chart's own list lags behind new types.

    """
    # aws/eks-charts stable/aws-efa-k8s-device-plugin 0.5.30.
    values = {
        "supportedInstanceLabels": {
            "keys": ["node.kubernetes.io/instance-type"],
            "values": list(instance_types),
        },
        # The chart tolerates nothing, and GPU nodes are tainted.
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    }
    return HelmChartArgs(
        component="EfaDevicePlugin",
        chart=chart,
        release_name="aws-efa-k8s-device-plugin",
        namespace=namespace,
        values=values,
        timeout_seconds=timeout_seconds,
    )
