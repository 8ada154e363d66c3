"""What goes when a deployment is taken down, and what stays."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from resource_graph import Aspect, Resource, ResourceGraph, Value
from rules.reading.claims import CLAIM
from rules.reading.references import STACK_REFERENCE
from rules.reading.shapes import grouped, memoized, memoized_all
from rules.rule import EVERY_RELEASE, Severity, Subjects, rule

_PRODUCTION = "production"
_LIFECYCLE = "lifecycle"
_CLOUD: Mapping[str, str] = {
    "aws:eks/cluster:Cluster": "with it goes everything that runs in the cluster",
    "aws:ec2/vpc:Vpc": "every cluster and file system of the network lives in it",
    "aws:efs/fileSystem:FileSystem": "it holds files",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "it holds files",
    "aws:ebs/volume:Volume": "it holds data",
    "aws:kms/key:Key": "nobody can read what it encrypted once it is gone",
}


@dataclass(frozen=True, slots=True)
class _Stateful:
    """A resource that holds data, or a namespace that holds such resources."""

    resource: Resource
    loss: str
    """Data that goes when the resource is deleted."""
    in_cluster: bool
    """Whether the resource is a claim or a namespace, which can be left in a cluster that lives on."""


@memoized_all
def _read_stateful(graph: ResourceGraph) -> Iterator[_Stateful]:
    """Volumes and what holds them, in the cluster and in the cloud."""
    for resource_type, loss in _CLOUD.items():
        for resource in graph.of_type(resource_type):
            yield _Stateful(resource, loss, in_cluster=False)
    holders = grouped(_holders(graph))
    for claim in graph.kubernetes_objects(CLAIM):
        yield _Stateful(claim, "it holds files", in_cluster=True)
    for namespace in graph.kubernetes_objects("Namespace"):
        held = holders.get(_key(namespace.provider, namespace.object_name))
        if held:
            yield _Stateful(namespace, f"it takes {' and '.join(dict.fromkeys(held))} along", in_cluster=True)


_STATEFUL: Subjects[_Stateful] = Subjects(_read_stateful, lambda each: (each.resource, each.resource.name))


@rule(
    _STATEFUL,
    severity=Severity.MANDATORY,
    reason=(
        "A rename, a changed immutable field or a destroy of the wrong stack deletes them, and what was "
        "stored is gone; protected, the engine refuses."
    ),
    source="https://www.pulumi.com/docs/iac/concepts/resources/options/protect/",
    lines=EVERY_RELEASE,
    fix="Set the option protect, or declare the stack disposable.",
    reads=frozenset({Aspect.PROTECTION}),
)
def stateful_things_protected(graph: ResourceGraph, stateful: _Stateful) -> Iterator[str]:
    """Volume of a production stack, or what holds it, is not protected."""
    if stateful.resource.protect is True:
        return
    if _is_production(graph):
        yield f"is not protected, in a stack of lifecycle {_PRODUCTION}: {stateful.loss}"


@rule(
    _STATEFUL,
    severity=Severity.ADVISORY,
    reason=(
        "Protection ends when somebody lifts it to destroy the stack; retained, the model's files and the "
        "servers' data are still there for the next one."
    ),
    source="https://www.pulumi.com/docs/iac/concepts/resources/options/retainondelete/",
    lines=EVERY_RELEASE,
    fix="Set the option retainOnDelete, on the claim and on its namespace.",
    reads=frozenset({Aspect.RETENTION}),
)
def state_retained(graph: ResourceGraph, stateful: _Stateful) -> Iterator[str]:
    """Volume of a production stack goes from a cluster that stays."""
    resource = stateful.resource
    if not stateful.in_cluster or resource.retain_on_delete is True or not _is_production(graph):
        return
    # Where the program makes the cluster too, in any stack, the resource goes when all has gone.
    clusters = (*graph.of_type("aws:eks/cluster:Cluster"), *graph.of_type(STACK_REFERENCE))
    if not any(graph.depends_on(resource, cluster) for cluster in clusters):
        yield f"is deleted when it leaves the stack, of lifecycle {_PRODUCTION}: {stateful.loss}"


@memoized
def _is_production(graph: ResourceGraph) -> bool:
    """Whether a component says so by its input, whatever other components say."""
    return any(each.inputs.get(_LIFECYCLE) == _PRODUCTION for each in graph.components())


def _holders(graph: ResourceGraph) -> Iterator[tuple[object, str]]:
    """Each namespace, with one kind of data that its objects hold."""
    for claim in graph.kubernetes_objects(CLAIM):
        yield _key(claim.provider, claim.namespace), f"claim {claim.name}"
    for servers in graph.kubernetes_objects("StatefulSet"):
        spec = servers.inputs.get("spec")
        if isinstance(spec, Mapping) and spec.get("volumeClaimTemplates") not in (None, []):
            yield _key(servers.provider, servers.namespace), f"the data of {servers.name}"


def _key(provider: str | None, namespace: Value) -> object:
    # Two providers are two clusters, and a namespace that is not known is none of the program's.
    return (provider, namespace) if isinstance(namespace, str) else object()
