"""NVIDIA's GPU operator: device plugin, node labels and metrics; driver and toolkit come with the AMI."""

from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.helm.v3 import Release

from components.chart import Chart, install


@dataclass(frozen=True, slots=True)
class GpuOperatorArgs:
    """Inputs of `GpuOperator`."""

    namespace: str
    chart: Chart
    monitored: bool
    """Whether Prometheus's definitions are there; the chart's ServiceMonitor would fail without them."""
    timeout_seconds: int


class GpuOperator(pulumi.ComponentResource):
    """What makes nvidia.com/gpu and the labels of GPU nodes appear."""

    release: Release

    def __init__(
        self,
        name: str,
        args: GpuOperatorArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {"chart": args.chart.name, "version": args.chart.version, "namespace": args.namespace}
        super().__init__("dynamo-stack:components:GpuOperator", name, inputs, opts)
        self.release = install(
            name,
            args.chart,
            release_name="gpu-operator",
            namespace=args.namespace,
            values=operator_values(monitored=args.monitored),
            timeout_seconds=args.timeout_seconds,
            parent=self,
            depends_on=depends_on,
        )
        self.register_outputs({})


def operator_values(*, monitored: bool) -> dict[str, Any]:
    """Return the chart's values (NVIDIA/gpu-operator v26.7.0 deployments/gpu-operator/values.yaml)."""
    return {
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
