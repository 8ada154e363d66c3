"""125 nodes of eight GPUs in one pool, beside one: what grows with the number of nodes, and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stacks.changed_settings import Settings, changed
from tests.support.dev_settings import resolved
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_settings

if TYPE_CHECKING:
    from resource_graph import ResourceGraph

NODES = 125


def _settings(nodes: int) -> Settings:
    """The recommended recipe on that many nodes, with a worker on each GPU."""
    return changed(shipped_settings("agg-b200"), {"nodePools[0].nodes": nodes, "serving.replicas": "fill"})


def test_a_thousand_gpus_are_the_resources_of_eight_so_that_a_preview_does_not_grow() -> None:
    one, many = (recorded_stack(resolved(_settings(nodes))) for nodes in (1, NODES))
    assert [resource.urn for resource in many] == [resource.urn for resource in one]
    assert _size_of(many) <= 1.2 * _size_of(one)


def _size_of(graph: ResourceGraph) -> int:
    """How much the engine and each policy is handed, as the length of all inputs."""
    return sum(len(str(resource.inputs)) for resource in graph)
