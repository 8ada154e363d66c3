"""What goes before the things that it guards, and asks the cluster then whether they may go.

`pulumi destroy` runs no program, but a plugin for each resource in the state: a dynamic provider's is Python
itself, with the module of its class. A delete hook would do too, and nothing could be destroyed without
--run-program any more (pulumi 3.259, pkg/engine/destroy.go).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pulumi.dynamic import CreateResult, DiffResult, ResourceProvider, UpdateResult

from components.cluster_reader import ClusterReader


class StillNeededError(Exception):
    """What would go is needed: graphs would be left that nobody changes or deletes."""


class GuardProvider(ResourceProvider):
    """Makes nothing: what a guard is for is its `delete`.

    A guard is deleted before what it depends on, and refuses while nothing of that is gone. Its inputs are
    what its provider asks for, beside those of the cluster.
    """

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


def guarded_cluster(props: Mapping[str, Any]) -> ClusterReader:
    """Return the cluster of a guard's inputs."""
    file = props.get("kubeconfigFile")
    path = str(Path(file).expanduser()) if file else None
    return ClusterReader(str(props["context"]), path, content=props.get("kubeconfig"))
