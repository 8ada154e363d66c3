"""A graph is created after the operator that runs it, and deleted before it."""

from collections.abc import Iterator

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.program.order import STACK_REFERENCE, dependencies_of
from rules.reading.program.releases import releases_of

_CHART = "dynamo-platform"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    releases = releases_of(graph, _CHART)
    for resource in graph.kubernetes_objects(GRAPH_KIND):
        if not releases and _stands_on_another_stack(graph, resource):
            continue
        if not releases:
            yield undecided(
                resource,
                resource.name,
                f"no release of chart {_CHART} is part of this program; if another stack installs it, that "
                "stack must be destroyed after this one",
            )
        elif dependencies_of(graph, resource).isdisjoint(release.urn for release in releases):
            names = ", ".join(release.name for release in releases)
            yield failed(
                resource,
                resource.name,
                f"does not depend on {names}, which installs its operator, neither itself nor through a "
                "component around it",
            )


def _stands_on_another_stack(graph: ResourceGraph, resource: Resource) -> bool:
    """Whether it, or a component around it, names a reference to the stack that installs the operator."""
    named = {urn for each in (resource, *graph.ancestors(resource)) for urn in each.dependencies}
    return any(reference.urn in named for reference in graph.of_type(STACK_REFERENCE))


RULE = Rule(
    id="graph-depends-on-operator",
    title="A graph depends on the release that installs its operator",
    severity=Severity.MANDATORY,
    reason=(
        "Without the edge the graph may be created before the operator's webhook answers, which refuses it, "
        "and at destroy the operator may go first, after which the graph's finalizer is never removed and "
        "its GPUs stay taken."
    ),
    source="pulumi/pulumi-kubernetes#1418, pulumi/pulumi-kubernetes#3573; NVIDIA/aicr#406",
    lines=("pulumi-kubernetes of 2026-06",),
    fix=(
        "Give the graph, or the component around it, depends_on with the platform's release, or with a "
        "StackReference to the stack that has it."
    ),
    check=_check,
    reads=frozenset({Aspect.EDGES}),
)
