"""What goes when a deployment is taken down, and what stays."""

from collections.abc import Iterator, Mapping

from resource_graph import Aspect, Resource, ResourceGraph, Value
from rules.reading.references import CLAIM, STACK_REFERENCE
from rules.reading.shapes import Undecided, attempted, grouped, known, memoized, memoized_all, text_at
from rules.rule import EVERY_RELEASE, Observation, Severity, Subjects, graph_rule, kubernetes_objects, rule

_PRODUCTION = "production"
_LIFECYCLE = "lifecycle"
_KNOWN = (_PRODUCTION, "disposable")
_CLOUD: Mapping[str, str] = {
    "aws:eks/cluster:Cluster": "with it goes everything that runs in the cluster",
    "aws:ec2/vpc:Vpc": "every cluster and file system of the network lives in it",
    "aws:efs/fileSystem:FileSystem": "it holds files",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "it holds files",
    "aws:ebs/volume:Volume": "it holds data",
    "aws:kms/key:Key": "nobody can read what it encrypted once it is gone",
}
_RETENTION_POLICY = "persistentVolumeClaimRetentionPolicy"


_Stateful = tuple[Resource, str]
"""A resource that holds data, or a namespace that holds such resources, and what goes with it."""


@memoized_all
def _read_stateful(graph: ResourceGraph) -> Iterator[_Stateful]:
    """Volumes and what holds them, in the cluster and in the cloud."""
    for resource_type, loss in _CLOUD.items():
        for resource in graph.of_type(resource_type):
            yield resource, loss
    holders = grouped(_holders(graph))
    for claim in graph.kubernetes_objects(CLAIM):
        yield claim, "it holds files"
    for namespace in graph.kubernetes_objects("Namespace"):
        held = holders.get(_key(namespace.provider, namespace.object_name))
        if held:
            yield namespace, f"it takes {' and '.join(dict.fromkeys(held))} along"


_STATEFUL: Subjects[_Stateful] = Subjects(_read_stateful, lambda each: (each[0], each[0].name))


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
def stateful_things_protected(graph: ResourceGraph, stateful: _Stateful) -> Iterator[str | Undecided]:
    """Volume of a production stack, or what holds it, is not protected."""
    resource, loss = stateful
    if resource.protect is True:
        return
    lifecycle = attempted(_declared_lifecycle, graph)
    if isinstance(lifecycle, Undecided):
        yield Undecided(f"is not protected, and {lifecycle}")
    elif lifecycle is None:
        yield Undecided(
            "is not protected, and no component says by its input lifecycle whether the stack is production "
            "or disposable"
        )
    elif lifecycle == _PRODUCTION:
        yield f"is not protected, in a stack of lifecycle {lifecycle}: {loss}"


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "Protection ends when somebody lifts it to destroy the stack; retained, the model's files and the "
        "servers' data are still there for the next one."
    ),
    source=(
        "https://www.pulumi.com/docs/iac/concepts/resources/options/retainondelete/; "
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention"
    ),
    lines=EVERY_RELEASE,
    fix="Set the option retainOnDelete, on the claim and on its namespace; whenDeleted: Retain for servers.",
    reads=frozenset({Aspect.RETENTION}),
)
def state_retained(graph: ResourceGraph) -> Iterator[Observation]:
    """Volume of a production stack goes from a cluster that stays."""
    # The rule about protection reports a lifecycle that cannot be read.
    if known(_declared_lifecycle, graph) == _PRODUCTION:
        yield from _STATEFUL.judge(graph, _not_retained)
        yield from kubernetes_objects("StatefulSet").judge(graph, _deletes_its_volumes)


@memoized
def _declared_lifecycle(graph: ResourceGraph) -> str | None:
    """production or disposable, as a component's input says; None where none does."""
    said: str | None = None
    for component in (each for each in graph.components() if _LIFECYCLE in each.inputs):
        value = text_at(component.inputs, _LIFECYCLE)
        if value not in _KNOWN:
            raise Undecided(f"{_LIFECYCLE} of {component.name} is {value!r}, not {' or '.join(_KNOWN)}")
        # Production wins: a disposable part of the program does not make the other parts disposable.
        said = value if said is None or value == _PRODUCTION else said
    return said


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


def _not_retained(graph: ResourceGraph, stateful: _Stateful) -> Iterator[str]:
    resource, loss = stateful
    # Only what is in a cluster can be left in one that lives on.
    if resource.type in _CLOUD or resource.retain_on_delete is True:
        return
    # Where the program makes the cluster too, in any stack, the resource goes when all has gone.
    clusters = (*graph.of_type("aws:eks/cluster:Cluster"), *graph.of_type(STACK_REFERENCE))
    if not any(graph.depends_on(resource, cluster) for cluster in clusters):
        yield f"is deleted when it leaves the stack, of lifecycle {_PRODUCTION}: {loss}"


def _deletes_its_volumes(_: ResourceGraph, servers: Resource) -> Iterator[str]:
    if text_at(servers.inputs, "spec", _RETENTION_POLICY, "whenDeleted") == "Delete":
        yield (
            f"has {_RETENTION_POLICY}.whenDeleted: Delete, in a stack of lifecycle {_PRODUCTION}: "
            "its volumes go too"
        )
