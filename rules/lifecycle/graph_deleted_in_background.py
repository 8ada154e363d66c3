"""A graph is deleted in a way that ends: before release 1.1 in the background."""

from collections.abc import Iterator

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.guarded import check_resources
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.program.operator_line import operator_line
from rules.reading.shapes import field

_ANNOTATION = "pulumi.com/deletionPropagationPolicy"
_WANTED = "background"
_MENDED = (1, 1)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_resources(
        graph.kubernetes_objects(GRAPH_KIND), lambda resource: _check_graph(graph, resource)
    )


def _check_graph(graph: ResourceGraph, resource: Resource) -> Iterator[Observation]:
    policy = field(resource.inputs, "metadata", "annotations", _ANNOTATION)
    if policy == _WANTED:
        return
    found = f"has no annotation {_ANNOTATION}" if policy is None else f"has {_ANNOTATION}: {policy}"
    if policy == "orphan":
        yield failed(resource, resource.name, f"{found}, so its pods stay when it goes, and keep their GPUs")
        return
    line = operator_line(graph, resource)
    if line < _MENDED:
        major, minor = line
        ends = f"under release {major}.{minor} {_WANTED} is what ends"
        yield failed(resource, resource.name, f"{found}, so it is deleted in the foreground; {ends}")


RULE = Rule(
    id="graph-deleted-in-background",
    title="Before release 1.1 a graph is deleted in the background",
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
    fix=f"Annotate the graph with {_ANNOTATION}: {_WANTED}; from 1.1 on leave the annotation out.",
    check=_check,
    # Of a document nobody knows who will delete it, and how.
    reads=frozenset({Aspect.PROTECTION}),
)
