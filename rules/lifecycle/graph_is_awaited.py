"""An update ends when the graph can serve, not when its object exists."""

from collections.abc import Iterator

from resource_graph import Aspect, ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.program.waits import SKIP_AWAIT, WAIT_FOR, annotations
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource in graph.kubernetes_objects(GRAPH_KIND):
        try:
            found = annotations(resource)
        except Undecided as reason:
            yield undecided(resource, resource.name, str(reason))
            continue
        if found.get(SKIP_AWAIT) == "true":
            yield failed(resource, resource.name, f"is not waited for: {SKIP_AWAIT} is true")
        elif WAIT_FOR not in found:
            yield failed(resource, resource.name, f"is not waited for: it has no annotation {WAIT_FOR}")


RULE = Rule(
    id="graph-is-awaited",
    title="The engine waits until a graph is ready",
    severity=Severity.ADVISORY,
    reason=(
        "Of custom resources the provider knows no readiness: without the annotation an update succeeds "
        "while the workers are still Pending, and nobody hears of it."
    ),
    source="pulumi/pulumi-kubernetes provider/pkg/await/await.go at a03ff6ba58d2 (pulumi.com/waitFor)",
    fix=f"Annotate the graph with {WAIT_FOR}: condition=Ready.",
    check=_check,
    reads=frozenset({Aspect.PROTECTION}),
)
