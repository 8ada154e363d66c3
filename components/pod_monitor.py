"""What tells the cluster's Prometheus to scrape a graph's pods."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.dynamo_objects import GRAPH_NAME
from components.options import Resources, child

_TIMEOUT = "120s"
# Names that the operator gives the ports: the frontend's, the workers' own server, and NIXL's telemetry.
_PORTS = ("http", "system", "nixl")


@dataclass(frozen=True, slots=True)
class PodMonitorArgs:
    """Inputs of `PodMonitor`."""

    graph_name: str
    namespace: str
    labels: Mapping[str, str]
    """What the cluster's Prometheus selects its monitors by."""


class PodMonitor(pulumi.ComponentResource):
    """One PodMonitor for frontend and workers.

    The platform's own, dynamo-worker, selects component type worker and thereby neither prefill nor decode
    pods through 1.2 (ai-dynamo/dynamo#10597), and no label can be put on it.
    """

    def __init__(
        self, name: str, args: PodMonitorArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        inputs = {"name": args.graph_name, "namespace": args.namespace}
        super().__init__("dynamo-stack:components:PodMonitor", name, inputs, opts)
        CustomResource(
            name,
            api_version="monitoring.coreos.com/v1",
            kind="PodMonitor",
            metadata={
                "name": args.graph_name,
                "namespace": args.namespace,
                "labels": dict(args.labels),
            },
            spec={
                "selector": {
                    "matchLabels": {GRAPH_NAME: args.graph_name, "nvidia.com/metrics-enabled": "true"}
                },
                "podMetricsEndpoints": [{"port": port, "path": "/metrics"} for port in _PORTS],
            },
            opts=child(self, depends_on, timeout=_TIMEOUT),
        )
        self.register_outputs({"name": args.graph_name})
