"""What is created before a resource and deleted after it."""

from resource_graph import Resource, ResourceGraph
from rules.reading.once import once_per_graph

STACK_REFERENCE = "pulumi:pulumi:StackReference"
"""What one stack registers to read another's outputs."""


def dependencies_of(graph: ResourceGraph, resource: Resource) -> frozenset[str]:
    """What the graph's own method says, remembered: several rules ask it of the same resources."""
    remembered = _remembered(graph)
    if resource.urn not in remembered:
        remembered[resource.urn] = graph.dependencies_of(resource)
    return remembered[resource.urn]


@once_per_graph
def _remembered(graph: ResourceGraph) -> dict[str, frozenset[str]]:  # noqa: ARG001 - what it is remembered for
    return {}
