"""Who sits on which GPU: as the page shows it, and as the plan has counted."""

from collections import Counter
from typing import Any

import pytest

from explain.machines import seated_nodes
from explain.page import Page
from stacks.plan.stack_plan import StackPlan
from tests.explain.pages import STACKS, page_of, shipped_page, shipped_plan
from tests.support.dev_settings import resolved
from tests.support.shipped_stacks import served_settings


def kinds(page: Page) -> list[list[list[str]]]:
    """What stands on the GPUs: pool, node, GPU."""
    return [[[kind for kind, _ in node.cells] for node in (*pool.domain, *pool.nodes)] for pool in page.pools]


def test_prefill_and_decode_have_a_tray_each_in_one_nvlink_domain() -> None:
    page = shipped_page("disagg-gb200-two-trays")
    [pool] = page.pools
    assert kinds(page) == [[["decode"] * 4, ["prefill", "idle", "idle", "idle"]]]
    assert pool.title == "2 x p6e-gb200.36xlarge, 8 GB200"
    assert pool.summary == (
        "Node 1: 1 pod of TrtllmDecodeWorker (decode on 4 GPUs). "
        "Node 2: 1 pod of TrtllmPrefillWorker (prefill on 1 GPU) and 3 GPUs idle"
    )
    assert (len(pool.domain), pool.domain_title) == (2, "one NVLink domain of 36 GPUs")
    assert pool.nvlink == (
        "NVLink joins 36 GPUs, 4 on each node (u-p6e-gb200x36, 9 trays); 7 of its trays are outside the pool"
    )
    assert pool.network == (
        "Network of a node: 1 interface with IP, 100 Gbit/s and 4 EFA interfaces, 1,600 Gbit/s together"
    )
    assert pool.cards == (False, True, True, True, True)


def test_prefill_and_decode_of_one_pod_share_a_node() -> None:
    page = shipped_page("disagg-b200-8gpu")
    [pool] = page.pools
    assert kinds(page) == [[["prefill"] * 4 + ["decode"] * 4]]
    assert pool.summary == "Node 1: 1 pod of TrtllmWorker (prefill on 4 GPUs and decode on 4 GPUs)"
    assert pool.domain == ()
    assert pool.nvlink == "NVLink joins the 8 GPUs of a node and ends there"


def test_the_pool_that_workers_use_comes_before_the_idle_one() -> None:
    page = shipped_page("dev")
    assert [pool.name for pool in page.pools] == ["b200", "gb200"]
    assert page.pools[1].summary == "Nodes 1 to 2, each: 4 GPUs idle"


def test_equal_nodes_are_drawn_once_however_many_there_are() -> None:
    settings = served_settings("agg-gb200")
    settings["nodePools"][0] |= {"nodes": 18, "nvlinkDomainGpus": 72}
    settings["serving"]["replicas"] = {"worker": 17}
    [pool] = page_of(resolved(settings)).pools
    assert [node.title for node in pool.domain] == ["Nodes 1 to 17, each", "Node 18"]
    assert pool.domain[0].cells[0] == ("worker", "")
    assert pool.nvlink.endswith("(u-p6e-gb200x72, 18 trays)")


def test_nobody_has_described_the_cards_of_a_described_node() -> None:
    node = {"accelerator": "H200", "architecture": "amd64", "gpus": 8, "cpu": 192, "memory": "2048Gi"}
    settings = served_settings("vllm-agg-h200") | {"nodePools": [{"name": "gpus", "nodes": 1, "node": node}]}
    settings["serving"]["pool"] = "gpus"
    page = page_of(resolved(settings))
    [pool] = page.pools
    assert pool.network == "Network cards: nobody has described them"
    assert pool.cards == ()
    [cost] = [each.texts for each in page.overview if each.title == "Cost"]
    assert cost == ("unknown (no price is published for pool gpus)",)


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
        nodes = seated_nodes(placed, plan.workers_in(placed))
        assert len(nodes) == placed.pool.nodes
        # GPUs that are left on a node -> nodes.
        assert Counter(node.unoccupied_gpus for node in nodes) == placed.free
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
