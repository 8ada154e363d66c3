"""What a production stack leaves in the cluster when it goes."""

from collections.abc import Iterator

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.program.lifecycle import PRODUCTION, declared_lifecycle
from rules.reading.program.order import STACK_REFERENCE
from rules.reading.program.stateful import read_stateful
from rules.reading.shapes import Undecided, text_at

_POLICY = "persistentVolumeClaimRetentionPolicy"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    try:
        if declared_lifecycle(graph) != PRODUCTION:
            return
    except Undecided:
        # The rule about protection says so already.
        return
    for each in read_stateful(graph):
        if not each.in_cluster or _goes_with_its_cluster(graph, each.resource):
            continue
        if each.resource.retain_on_delete is not True:
            yield failed(
                each.resource,
                each.resource.name,
                f"is deleted when it leaves the stack, of lifecycle {PRODUCTION}: {each.loss}",
            )
    for servers in graph.kubernetes_objects("StatefulSet"):
        try:
            yield from _check_servers(servers)
        except Undecided as reason:
            yield undecided(servers, servers.name, str(reason))


def _goes_with_its_cluster(graph: ResourceGraph, resource: Resource) -> bool:
    """Whether the program makes the cluster too, in this stack or in another: it goes when all has gone."""
    clusters = (*graph.of_type("aws:eks/cluster:Cluster"), *graph.of_type(STACK_REFERENCE))
    return any(graph.depends_on(resource, cluster) for cluster in clusters)


def _check_servers(servers: Resource) -> Iterator[Observation]:
    if text_at(servers.inputs, "spec", _POLICY, "whenDeleted") == "Delete":
        yield failed(
            servers,
            servers.name,
            f"has {_POLICY}.whenDeleted: Delete, in a stack of lifecycle {PRODUCTION}: its volumes go too",
        )


RULE = Rule(
    id="state-retained",
    title="In production, volumes stay in a cluster that stays when they leave the stack",
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
    check=_check,
    reads=frozenset({Aspect.RETENTION}),
)
