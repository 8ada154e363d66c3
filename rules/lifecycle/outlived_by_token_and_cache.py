"""What a graph's pods need is there as long as the graph is."""

from collections.abc import Iterator, Sequence

from resource_graph import Aspect, Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.program.order import dependencies_of
from rules.reading.program.references import Reference, dynamo_graphs
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource, references in dynamo_graphs(graph):
        if isinstance(references, Undecided):
            yield undecided(resource, resource.name, str(references))
            continue
        missing = _not_outliving(graph, resource, references)
        if missing:
            yield failed(
                resource,
                resource.name,
                f"does not depend on {', '.join(missing)}, which it needs as long as it runs",
            )


def _not_outliving(
    graph: ResourceGraph, resource: Resource, references: Sequence[Reference]
) -> Sequence[str]:
    before = dependencies_of(graph, resource)
    missing: list[str] = []
    for kind, name in _needed(resource, references):
        # What another program made is not this one's to delete.
        found = graph.kubernetes_objects_named(kind, name, resource.namespace)
        if found and before.isdisjoint(each.urn for each in found):
            missing.append(f"{kind} {name}")
    return missing


def _needed(resource: Resource, references: Sequence[Reference]) -> Iterator[tuple[str, str]]:
    namespace = resource.namespace
    # One that only the update knows is another resource's output, which makes the edge by itself.
    if isinstance(namespace, str):
        yield "Namespace", namespace
    for reference in references:
        yield reference.kind, reference.name


RULE = Rule(
    id="outlived-by-token-and-cache",
    title="Namespace, token, files and cache outlive the graph that uses them",
    severity=Severity.MANDATORY,
    reason=(
        "At destroy they would go beside the graph or before it: a claim waits for the pods that mount it, a "
        "namespace takes the graph along while the engine still deletes it, and a pod that restarts then "
        "misses its token. At creation the graph may be refused for want of its namespace."
    ),
    source=(
        "https://www.pulumi.com/docs/iac/concepts/resources/options/dependson/ (deleted in reverse order); "
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection"
    ),
    lines=EVERY_RELEASE,
    fix="Give the graph depends_on with each of them, or use their outputs in its inputs.",
    check=_check,
    reads=frozenset({Aspect.EDGES}),
)
