"""A copy of the model on every node of some pools, on the nodes' own disks."""

from collections.abc import Mapping
from typing import Any, cast

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet, DaemonSetSpecArgsDict

from components.options import WITH_PODS, Resources, child


class NodeCache(pulumi.ComponentResource):
    """What fills the nodes' disks, and those of a node that replaces a lost one.

    Every reader depends on it: the provider waits until every node there is has the model. There is nothing
    to protect or to keep: the disks are empty again as soon as their node is gone.

    Args:
        name: of the DaemonSet, too.
        spec: a Kubernetes DaemonSetSpec whose pods are Ready where the model is whole.

    """

    def __init__(
        self,
        name: str,
        *,
        namespace: str,
        spec: Mapping[str, Any],
        timeout_seconds: int,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"namespace": namespace, "daemonSetName": name}
        super().__init__("dynamo-stack:components:NodeCache", name, inputs, opts)
        DaemonSet(
            f"{name}-copies",
            metadata={"name": name, "namespace": namespace},
            spec=cast("DaemonSetSpecArgsDict", spec),
            opts=child(self, depends_on, timeout=timeout_seconds, delete=WITH_PODS),
        )
        self.register_outputs({"daemonSetName": name})
