"""An update ends when the graph can serve, not when its object exists."""

from collections.abc import Iterator

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity
from rules.reading.guarded import check_messages
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.program.waits import SKIP_AWAIT, WAIT_FOR, annotations


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_messages(graph.kubernetes_objects(GRAPH_KIND), _check_graph)


def _check_graph(resource: Resource) -> Iterator[str]:
    found = annotations(resource)
    if found.get(SKIP_AWAIT) == "true":
        yield f"is not waited for: {SKIP_AWAIT} is true"
    elif WAIT_FOR not in found:
        yield f"is not waited for: it has no annotation {WAIT_FOR}"


RULE = Rule(
    id="graph-is-awaited",
    title="The engine waits until a graph is ready",
    severity=Severity.ADVISORY,
    reason=(
        "Of custom resources the provider knows no readiness: without the annotation an update succeeds "
        "while the workers are still Pending, and nobody hears of it."
    ),
    source="pulumi/pulumi-kubernetes provider/pkg/await/await.go at a03ff6ba58d2 (pulumi.com/waitFor)",
    lines=("pulumi-kubernetes of 2026-06",),
    fix=f"Annotate the graph with {WAIT_FOR}: condition=Ready.",
    check=_check,
    reads=frozenset({Aspect.PROTECTION}),
)
