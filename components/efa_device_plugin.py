"""The device plugin that offers a node's EFA interfaces as vpc.amazonaws.com/efa."""

from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.helm.v3 import Release

from components.chart import Chart, install


@dataclass(frozen=True, slots=True)
class EfaDevicePluginArgs:
    """Inputs of `EfaDevicePlugin`."""

    namespace: str
    chart: Chart
    instance_types: tuple[str, ...]
    """Of the pools with EFA: the chart's own list lags behind new types."""
    timeout_seconds: int


class EfaDevicePlugin(pulumi.ComponentResource):
    """One DaemonSet on the nodes that have EFA."""

    release: Release

    def __init__(
        self,
        name: str,
        args: EfaDevicePluginArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {"chart": args.chart.name, "version": args.chart.version, "namespace": args.namespace}
        super().__init__("dynamo-stack:components:EfaDevicePlugin", name, inputs, opts)
        self.release = install(
            name,
            args.chart,
            release_name="aws-efa-k8s-device-plugin",
            namespace=args.namespace,
            values=plugin_values(args.instance_types),
            timeout_seconds=args.timeout_seconds,
            parent=self,
            depends_on=depends_on,
        )
        self.register_outputs({})


def plugin_values(instance_types: tuple[str, ...]) -> dict[str, Any]:
    """Return the chart's values (aws/eks-charts stable/aws-efa-k8s-device-plugin 0.5.30)."""
    return {
        "supportedInstanceLabels": {
            "keys": ["node.kubernetes.io/instance-type"],
            "values": list(instance_types),
        },
        # The chart tolerates nothing, and GPU nodes are tainted.
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    }
