"""250 trays of four GPUs in one pool, beside one: what grows with the number of nodes, and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.counted_work import steps
from tests.support.dev_settings import resolved
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_settings

if TYPE_CHECKING:
    from resource_graph import ResourceGraph

TRAYS = 250
EIGHT_GPUS = 2
"""Trays."""


def settings_of(trays: int) -> dict[str, Any]:
    """The recommended recipe on that many trays, each with a worker."""
    settings = shipped_settings("agg-gb200")
    settings["nodePools"][0]["nodes"] = trays
    settings["serving"]["replicas"] = "fill"
    return settings


def recorded(trays: int) -> ResourceGraph:
    return recorded_stack(resolved(settings_of(trays)))


def test_a_thousand_gpus_are_planned_in_about_the_steps_of_eight() -> None:
    few, many = settings_of(EIGHT_GPUS), settings_of(TRAYS)
    resolved(few)
    assert steps(lambda: resolved(many)) <= 2 * steps(lambda: resolved(few))
    stack = resolved(many)
    assert stack.infrastructure is not None
    assert [nodes.pool.nodes for nodes in stack.infrastructure.gpu_nodes] == [TRAYS]
    (workers,) = [each for each in stack.serving.placed.services if each.placement]
    assert workers.replicas == TRAYS


def test_a_thousand_gpus_are_the_resources_of_four_so_that_a_preview_does_not_grow() -> None:
    one, many = recorded(1), recorded(TRAYS)
    assert [resource.urn for resource in many] == [resource.urn for resource in one]
    assert size_of(many) <= 1.2 * size_of(one)


def size_of(graph: ResourceGraph) -> int:
    """How much the engine and each policy is handed, as the length of all inputs."""
    return sum(len(str(resource.inputs)) for resource in graph)
