"""Resources whose deletion loses something that no second `up` brings back at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.once import once_per_graph
from rules.reading.program.references import CLAIM

_CLOUD: Mapping[str, str] = {
    "aws:eks/cluster:Cluster": "with it goes everything that runs in the cluster",
    "aws:ec2/vpc:Vpc": "every cluster and file system of the network lives in it",
    "aws:efs/fileSystem:FileSystem": "it holds files",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "it holds files",
    "aws:ebs/volume:Volume": "it holds data",
    "aws:kms/key:Key": "nobody can read what it encrypted once it is gone",
}


@dataclass(frozen=True, slots=True)
class Stateful:
    """One of them."""

    resource: Resource
    loss: str
    """What its deletion takes along."""
    in_cluster: bool
    """A claim or a namespace, which can be left in a cluster that lives on."""


@once_per_graph
def read_stateful(graph: ResourceGraph) -> Sequence[Stateful]:
    """Volumes and what holds them, in the cluster and in the cloud."""
    return tuple(_read(graph))


def _read(graph: ResourceGraph) -> Iterator[Stateful]:
    for resource_type, loss in _CLOUD.items():
        for resource in graph.of_type(resource_type):
            yield Stateful(resource, loss, in_cluster=False)
    holders = _holders(graph)
    for claim in graph.kubernetes_objects(CLAIM):
        yield Stateful(claim, "it holds files", in_cluster=True)
    for namespace in graph.kubernetes_objects("Namespace"):
        held = holders.get(_key(namespace.provider, namespace.object_name))
        if held:
            yield Stateful(namespace, f"it takes {' and '.join(dict.fromkeys(held))} along", in_cluster=True)


def _holders(graph: ResourceGraph) -> Mapping[object, list[str]]:
    """Namespace -> what holds data in it."""
    holders: dict[object, list[str]] = {}
    for claim in graph.kubernetes_objects(CLAIM):
        holders.setdefault(_key(claim.provider, claim.namespace), []).append(f"claim {claim.name}")
    for servers in graph.kubernetes_objects("StatefulSet"):
        spec = servers.inputs.get("spec")
        if isinstance(spec, Mapping) and spec.get("volumeClaimTemplates") not in (None, []):
            key = _key(servers.provider, servers.namespace)
            holders.setdefault(key, []).append(f"the data of {servers.name}")
    return holders


def _key(provider: str | None, namespace: Value) -> object:
    # Two providers are two clusters, and a namespace that is not known is none of the program's.
    return (provider, namespace) if isinstance(namespace, str) else object()
