"""What goes before the things that it guards, and asks the cluster then whether they may go.

`pulumi destroy` runs no program, but a plugin for each resource in the state: a dynamic provider's is Python
itself, with the module of its class. A delete hook would do too, and nothing could be destroyed without
--run-program any more (pulumi 3.259, pkg/engine/destroy.go).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
from pulumi.dynamic import CreateResult, DiffResult, Resource, ResourceProvider, UpdateResult

from components.cluster_reader import ClusterReader


@dataclass(frozen=True, slots=True)
class GuardedCluster:
    """Where a guard asks."""

    context: str
    kubeconfig_file: str | None
    """None: the KUBECONFIG environment variable decides, or there is a content."""
    kubeconfig: pulumi.Output[str] | None
    """Content, of a cluster that a stack of this project makes."""


class GuardProvider(ResourceProvider):
    """Makes nothing: what a guard is for is its `delete`."""

    serialize_as_secret_always = False

    def create(self, props: dict[str, Any]) -> CreateResult:
        """Nothing is made."""
        return CreateResult("guard", props)

    def diff(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> DiffResult:
        """Compare all of it, this class included, which the state names by its module."""
        return DiffResult(changes=_olds != _news)

    def update(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> UpdateResult:
        """Nothing is changed."""
        return UpdateResult(_news)


class Guard(Resource):
    """Goes first when what it depends on does, so that nothing of that has gone where it refuses."""

    def __init__(
        self,
        provider: GuardProvider,
        name: str,
        inputs: Mapping[str, Any],
        cluster: GuardedCluster,
        opts: pulumi.ResourceOptions,
    ) -> None:
        found = {
            **inputs,
            "context": cluster.context,
            "kubeconfigFile": cluster.kubeconfig_file,
            "kubeconfig": cluster.kubeconfig,
        }
        known = {key: value for key, value in found.items() if value is not None}
        super().__init__(provider, name, known, opts)


def guarded_cluster(props: Mapping[str, Any]) -> ClusterReader:
    """Return the cluster of a guard's inputs."""
    file = props.get("kubeconfigFile")
    path = str(Path(file).expanduser()) if file else None
    return ClusterReader(str(props["context"]), path, content=props.get("kubeconfig"))
