from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explain.seating import seated_nodes
from stacks.plan.placement.packing import Room, pack
from stacks.updates.shared_pools import occupying_set
from tests.explain.pages import STACKS, shipped_plan
from tests.support.dev_settings import resolved
from tests.support.shipped_stacks import served_settings

if TYPE_CHECKING:
    from explain.seating import SeatedNode
    from stacks.plan.placement.capacity import PlacedPool
    from stacks.plan.stack_plan import StackPlan


def counted(nodes: tuple[SeatedNode, ...]) -> Counter[int]:
    """GPUs that are left on a node -> nodes, as the packing counts them."""
    return Counter(node.unoccupied_gpus for node in nodes)


def with_workers(plan: StackPlan, replicas: list[int], room: Room) -> tuple[PlacedPool, StackPlan] | None:
    """The first pool with so many pods of each worker on such nodes; None where they do not fit."""
    placed = plan.serving.placed
    numbers = dict(zip((worker.name for worker in placed.workers), replicas, strict=True))
    services = tuple(
        dataclasses.replace(each, replicas=numbers.get(each.name, each.replicas)) for each in placed.services
    )
    changed = dataclasses.replace(placed, services=services)
    packing = pack([occupying_set(worker) for worker in changed.workers], room)
    if packing is None:
        return None
    pool = next(each for each in plan.pools if each.used_gpus)
    nodes = dataclasses.replace(pool.pool, nodes=room.nodes)
    serving = dataclasses.replace(plan.serving, placed=changed)
    return dataclasses.replace(pool, pool=nodes, packing=packing), dataclasses.replace(plan, serving=serving)


@pytest.mark.parametrize("name", STACKS)
def test_the_pods_of_every_shipped_stack_sit_as_the_plan_has_counted(name: str) -> None:
    plan = shipped_plan(name)
    for placed in plan.pools:
        nodes = seated_nodes(placed, plan.serving.placed.workers)
        assert len(nodes) == placed.pool.nodes
        assert counted(nodes) == placed.packing.free_gpus
        assert sum(pod.gpus for node in nodes for pod in node.pods) == placed.used_gpus


@given(
    replicas=st.lists(st.integers(1, 9), min_size=2, max_size=2),
    nodes=st.integers(1, 12),
    alone=st.booleans(),
    apart=st.booleans(),
)
def test_whatever_the_packing_holds_is_seated_as_it_has_counted(
    replicas: list[int], nodes: int, *, alone: bool, apart: bool
) -> None:
    room = Room(nodes, 8, one_pod_per_node=alone, different_nodes=apart)
    found = with_workers(shipped_plan("disagg-b200-tcp"), replicas, room)
    if found is None:
        return
    placed, plan = found
    seated = seated_nodes(placed, plan.serving.placed.workers)
    assert counted(seated) == placed.packing.free_gpus
    pods = Counter(pod.service for node in seated for pod in node.pods)
    assert [pods[worker.name] for worker in plan.serving.placed.workers] == replicas
    if alone:
        assert all(len(node.pods) <= 1 for node in seated)
    if apart:
        assert all(len({pod.service for pod in node.pods}) <= 1 for node in seated)


def test_pods_that_take_the_memory_of_further_gpus_withhold_them() -> None:
    settings = served_settings("disagg-b200-tcp")
    settings["serving"]["resources"] = {"prefill": {"memory": "600Gi"}}
    plan = resolved(settings)
    [node] = seated_nodes(plan.pools[0], plan.serving.placed.workers)
    assert [(pod.service, pod.gpus, pod.withheld_gpus) for pod in node.pods] == [
        ("TrtllmDecodeWorker", 4, 0),
        ("TrtllmPrefillWorker", 1, 2),
    ]
    assert node.unoccupied_gpus == 1
