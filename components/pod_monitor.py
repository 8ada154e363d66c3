"""What tells the cluster's Prometheus to scrape the pods that serve."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from components.options import Resources, child

_TIMEOUT = "120s"


class PodMonitor(pulumi.ComponentResource):
    """One PodMonitor for frontend and workers, or for a server.

    The platform's own, dynamo-worker, selects component type worker and thereby neither prefill nor decode
    pods through 1.2 (ai-dynamo/dynamo#10597), and no label can be put on it.

    Args:
        labels: what the cluster's Prometheus selects its monitors by.
        spec: which pods are scraped, and where.

    """

    def __init__(
        self,
        name: str,
        *,
        graph_name: str,
        namespace: str,
        labels: Mapping[str, str],
        spec: Mapping[str, Any],
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"name": graph_name, "namespace": namespace}
        super().__init__("dynamo-stack:components:PodMonitor", name, inputs, opts)
        CustomResource(
            name,
            api_version="monitoring.coreos.com/v1",
            kind="PodMonitor",
            metadata={**inputs, "labels": dict(labels)},
            spec=dict(spec),
            opts=child(self, depends_on, timeout=_TIMEOUT),
        )
        self.register_outputs({"name": graph_name})
