from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from explain.machines import seated_nodes
from tests.explain.pages import STACKS, shipped_plan
from tests.support.dev_settings import resolved
from tests.support.shipped_stacks import served_settings

if TYPE_CHECKING:
    from stacks.plan.stack_plan import StackPlan


def served(name: str, nodes: int, **serving: Any) -> StackPlan:
    """A shipped stack on so many nodes, with these keys of what is served."""
    settings = served_settings(name)
    settings["nodePools"][0]["nodes"] = nodes
    settings["serving"] |= serving
    return resolved(settings)


SERVED = {
    "one GPU next to four, twice": served("disagg-b200-tcp", 2, replicas={"prefill": 2, "decode": 2}),
    "more small pods than large ones": served("disagg-b200-tcp", 3, replicas={"prefill": 9, "decode": 3}),
    "more large pods than small ones": served("disagg-b200-tcp", 4, replicas={"prefill": 3, "decode": 6}),
    "a tray for each pod": served("disagg-gb200-two-trays", 6, replicas={"prefill": 3, "decode": 2}),
    "roles on nodes of their own": served(
        "disagg-b200-tcp", 5, kvTransport="efa", replicas={"prefill": 4, "decode": 3}
    ),
}


@pytest.mark.parametrize("plan", [*map(shipped_plan, STACKS), *SERVED.values()], ids=[*STACKS, *SERVED])
def test_pods_sit_as_the_plan_has_counted(plan: StackPlan) -> None:
    workers = plan.serving.placed.workers
    seated: Counter[str] = Counter()
    for placed in plan.pools:
        nodes = seated_nodes(placed, workers)
        assert len(nodes) == placed.pool.nodes
        # GPUs that are left on a node -> nodes.
        assert Counter(node.unoccupied_gpus for node in nodes) == placed.packing.free_gpus
        assert sum(pod.gpus for node in nodes for pod in node.pods) == placed.used_gpus
        seated.update(pod.service for node in nodes for pod in node.pods)
    assert seated == {worker.name: worker.replicas for worker in workers}


def test_pods_that_take_the_memory_of_further_gpus_withhold_them() -> None:
    plan = served("disagg-b200-tcp", 1, resources={"prefill": {"memory": "600Gi"}})
    [node] = seated_nodes(plan.pools[0], plan.serving.placed.workers)
    assert [(pod.service, pod.gpus, pod.withheld_gpus) for pod in node.pods] == [
        ("TrtllmDecodeWorker", 4, 0),
        ("TrtllmPrefillWorker", 1, 2),
    ]
    assert node.unoccupied_gpus == 1
