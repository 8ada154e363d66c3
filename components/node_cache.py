"""A copy of the model on every node of some pools, on the nodes' own disks."""

from typing import Any

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet

from components import deletion
from components.options import Resources, child


class NodeCache(pulumi.ComponentResource):
    """What fills the nodes' disks, and those of a node that replaces a lost one.

    There is nothing to protect or to keep: the disks are empty again as soon as their node is gone.

    Args:
        name: of the DaemonSet, too.
        spec: a Kubernetes DaemonSetSpec whose pods are Ready where the model is whole.

    """

    daemon_set: DaemonSet
    """What every reader depends on: the provider waits until every node there is has the model."""

    def __init__(
        self,
        name: str,
        *,
        namespace: str,
        spec: Any,
        timeout_seconds: int,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"namespace": namespace, "daemonSetName": name}
        super().__init__("dynamo-stack:components:NodeCache", name, inputs, opts)
        self.daemon_set = DaemonSet(
            f"{name}-copies",
            metadata={"name": name, "namespace": namespace},
            spec=spec,
            opts=child(self, depends_on, timeout=timeout_seconds, delete=deletion.WITH_PODS),
        )
        self.register_outputs({"daemonSetName": name})
