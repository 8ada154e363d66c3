"""What tells the cluster's Prometheus to scrape the pods that serve."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.options import Resources, child

_TIMEOUT = "120s"


@dataclass(frozen=True, slots=True)
class PodMonitorArgs:
    """Inputs of `PodMonitor`."""

    graph_name: str
    namespace: str
    labels: Mapping[str, str]
    """What the cluster's Prometheus selects its monitors by."""
    pods: Mapping[str, str]
    """Labels of the pods to scrape."""
    ports: tuple[str, ...]
    """Names of their ports with metrics; a pod without one of them is read at the others."""
    path: str


class PodMonitor(pulumi.ComponentResource):
    """One PodMonitor for frontend and workers, or for a server.

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
                "selector": {"matchLabels": dict(args.pods)},
                "podMetricsEndpoints": [{"port": port, "path": args.path} for port in args.ports],
            },
            opts=child(self, depends_on, timeout=_TIMEOUT),
        )
        self.register_outputs({"name": args.graph_name})
