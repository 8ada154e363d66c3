"""Custom objects come after the definition of their kind, where the program brings it itself."""

from collections.abc import Iterator

from resource_graph import Aspect, ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pods import GRAPH_KIND
from rules.reading.program.order import dependencies_of

_DEFINITION = "CustomResourceDefinition"
_DEFINED_AS = {
    GRAPH_KIND: "dynamographdeployments.nvidia.com",
    "ComputeDomain": "computedomains.resource.nvidia.com",
}


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for kind, name in _DEFINED_AS.items():
        no_namespace: Value = None
        definitions = graph.kubernetes_objects_named(_DEFINITION, name, no_namespace)
        if not definitions:
            continue
        for resource in graph.kubernetes_objects(kind):
            if dependencies_of(graph, resource).isdisjoint(each.urn for each in definitions):
                yield failed(
                    resource,
                    resource.name,
                    f"does not depend on the definition {name}, which this program registers as "
                    f"{definitions[0].name}",
                )


RULE = Rule(
    id="graph-depends-on-definition",
    title="A custom object depends on the definition of its kind",
    severity=Severity.MANDATORY,
    reason=(
        "The provider tries for about a minute to create an object of a kind that the server does not know, "
        "then fails; and at destroy a definition that goes first takes every object of its kind along, "
        "finalizers and all."
    ),
    source=(
        "pulumi/pulumi-kubernetes provider/pkg/await/await.go at a03ff6ba58d2 (retries of NotFound); "
        "NVIDIA/aicr#406"
    ),
    lines=("pulumi-kubernetes of 2026-06",),
    fix="Give the object depends_on with the definition, or let the platform's chart bring it.",
    check=_check,
    reads=frozenset({Aspect.EDGES}),
)
