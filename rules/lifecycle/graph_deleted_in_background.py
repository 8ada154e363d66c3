"""A graph is not deleted in the foreground, which is what the provider does unless told otherwise."""

from collections.abc import Iterator

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.guarded import check_resources
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.shapes import field

_ANNOTATION = "pulumi.com/deletionPropagationPolicy"
_WANTED = "background"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_resources(graph.kubernetes_objects(GRAPH_KIND), _check_graph)


def _check_graph(resource: Resource) -> Iterator[Observation]:
    policy = field(resource.inputs, "metadata", "annotations", _ANNOTATION)
    if policy == _WANTED:
        return
    found = f"has no annotation {_ANNOTATION}" if policy is None else f"has {_ANNOTATION}: {policy}"
    what = (
        "its pods stay when it goes, and keep their GPUs"
        if policy == "orphan"
        else "it is deleted in the foreground"
    )
    yield failed(resource, resource.name, f"{found}, so {what}; {_WANTED} is what ends")


RULE = Rule(
    id="graph-deleted-in-background",
    title="A graph is deleted in the background",
    severity=Severity.MANDATORY,
    reason=(
        "Under foreground deletion the operator makes again what the garbage collector takes away, for "
        "hours, and the GPUs stay taken meanwhile. Pulumi's provider deletes in the foreground by default."
    ),
    source="ai-dynamo/dynamo#8204; pulumi/pulumi-kubernetes provider/pkg/await/await.go at a03ff6ba58d2",
    fix=f"Annotate the graph with {_ANNOTATION}: {_WANTED}.",
    check=_check,
    # Of a document nobody knows who will delete it, and how.
    reads=frozenset({Aspect.PROTECTION}),
)
