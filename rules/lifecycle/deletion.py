"""What goes when a deployment is taken down, and what stays."""

from collections.abc import Iterator

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Severity
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.program.lifecycle import PRODUCTION, declared_lifecycle
from rules.reading.program.operator_line import operator_line
from rules.reading.program.order import STACK_REFERENCE
from rules.reading.program.stateful import Stateful, read_stateful
from rules.reading.shapes import Undecided, field, text_at
from rules.rule import Subjects, graph_rule, rule
from rules.subjects import kubernetes_objects

_PROPAGATION = "pulumi.com/deletionPropagationPolicy"
_WANTED = "background"
_FOREGROUND_ENDS_SINCE = (1, 1)
_RETENTION_POLICY = "persistentVolumeClaimRetentionPolicy"
_STATEFUL: Subjects[Stateful] = Subjects(read_stateful, lambda each: (each.resource, each.resource.name))


@rule(
    kubernetes_objects(GRAPH_KIND),
    severity=Severity.MANDATORY,
    reason=(
        "Under foreground deletion these operators make again what the garbage collector takes away, for "
        "hours, and the GPUs stay taken meanwhile. Pulumi's provider deletes in the foreground by default, "
        "which from 1.1 on ends, with the graph as the last to go. Orphaned pods keep their GPUs for ever."
    ),
    source=(
        "ai-dynamo/dynamo#8204, mended by #8207 (2026-04-14, before 1.1 was cut); "
        "pulumi/pulumi-kubernetes provider/pkg/await/await.go at a03ff6ba58d2"
    ),
    lines=("Dynamo 1.0", "Dynamo 1.2", "pulumi-kubernetes of 2026-06"),
    fix=f"Annotate the graph with {_PROPAGATION}: {_WANTED}; from 1.1 on leave the annotation out.",
    # Of a document nobody knows who will delete it, and how.
    reads=frozenset({Aspect.PROTECTION}),
)
def graph_deleted_in_background(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    """Before release 1.1 a graph is deleted in the background."""
    policy = field(resource.inputs, "metadata", "annotations", _PROPAGATION)
    if policy == _WANTED:
        return
    found = f"has no annotation {_PROPAGATION}" if policy is None else f"has {_PROPAGATION}: {policy}"
    if policy == "orphan":
        yield f"{found}, so its pods stay when it goes, and keep their GPUs"
        return
    line = operator_line(graph, resource)
    if line < _FOREGROUND_ENDS_SINCE:
        major, minor = line
        ends = f"under release {major}.{minor} {_WANTED} is what ends"
        yield f"{found}, so it is deleted in the foreground; {ends}"


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
def stateful_things_protected(graph: ResourceGraph, stateful: Stateful) -> Iterator[str | Undecided]:
    """In production, volumes and what holds them are protected."""
    if stateful.resource.protect is True:
        return
    try:
        lifecycle = declared_lifecycle(graph)
    except Undecided as reason:
        yield Undecided(f"is not protected, and {reason}")
        return
    if lifecycle is None:
        yield Undecided(
            "is not protected, and no component says by its input lifecycle whether the stack is production "
            "or disposable"
        )
    elif lifecycle == PRODUCTION:
        yield f"is not protected, in a stack of lifecycle {lifecycle}: {stateful.loss}"


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
    """In production, volumes stay in a cluster that stays when they leave the stack."""
    try:
        if declared_lifecycle(graph) != PRODUCTION:
            return
    except Undecided:
        # The rule about protection says so already.
        return
    yield from _STATEFUL.judge(graph, _not_retained)
    yield from kubernetes_objects("StatefulSet").judge(graph, _deletes_its_volumes)


def _not_retained(graph: ResourceGraph, stateful: Stateful) -> Iterator[str]:
    if not stateful.in_cluster or _goes_with_its_cluster(graph, stateful.resource):
        return
    if stateful.resource.retain_on_delete is not True:
        yield f"is deleted when it leaves the stack, of lifecycle {PRODUCTION}: {stateful.loss}"


def _goes_with_its_cluster(graph: ResourceGraph, resource: Resource) -> bool:
    """Whether the program makes the cluster too, in this stack or in another: it goes when all has gone."""
    clusters = (*graph.of_type("aws:eks/cluster:Cluster"), *graph.of_type(STACK_REFERENCE))
    return any(graph.depends_on(resource, cluster) for cluster in clusters)


def _deletes_its_volumes(_: ResourceGraph, servers: Resource) -> Iterator[str]:
    if text_at(servers.inputs, "spec", _RETENTION_POLICY, "whenDeleted") == "Delete":
        yield (
            f"has {_RETENTION_POLICY}.whenDeleted: Delete, in a stack of lifecycle {PRODUCTION}: its volumes "
            "go too"
        )
