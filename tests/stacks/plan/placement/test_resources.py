"""How many processors and how much memory workers get, and what no node holds."""

from typing import Any

import pytest

from recipes.placed import PodResources
from tests.stacks.changed_settings import Settings, changed, override, said
from tests.support.dev_settings import (
    agg_gb200_settings,
    described_node,
    disagg_b200_settings,
    existing_cluster_settings,
    resolved,
)

FILL = {"serving.replicas": "fill"}


def _with_resources(nodes: int = 1, **resources: dict[str, Any]) -> Settings:
    return changed(disagg_b200_settings(), {"nodePools[0].nodes": nodes, "serving.resources": resources})


PREFILL = PodResources(21, 21, 230)
DECODE = PodResources(86, 86, 921)


@pytest.mark.parametrize(
    ("settings", "sizes"),
    [
        # Of 192 CPUs and 2048 GiB for 8 GPUs, less a tenth.
        (disagg_b200_settings(), [PREFILL, DECODE]),
        (agg_gb200_settings(), [PodResources(129, 129, 864)]),
        (_with_resources(prefill={"cpu": 40}), [PodResources(40, 40, 230), DECODE]),
        (_with_resources(decode={"memory": "1Ti"}), [PREFILL, PodResources(86, 86, 1024)]),
    ],
)
def test_a_worker_gets_what_is_typed_and_of_the_rest_an_equal_share_for_each_gpu(
    settings: Settings, sizes: list[PodResources]
) -> None:
    assert [worker.resources for worker in resolved(settings).serving.placed.workers] == sizes


def _on_h200(memory: str, **serving: Any) -> Settings:
    """Settings of eight vLLM workers on a machine with so much memory."""
    node = described_node(accelerator="H200", memory=memory, labels={})
    return existing_cluster_settings(
        {"recipe": "gpt-oss-120b/vllm-agg", "pool": "h200", **serving},
        [{"name": "h200", "nodes": 1, "node": node}],
    )


def test_kv_cache_in_host_memory_counts_and_is_named_with_the_rest() -> None:
    text = said(_on_h200("1500Gi"))
    assert (
        "agg needs 64 GiB of shared memory, 61 GiB for weights and 100 GiB for KV cache that leaves the GPU, "
        "and has 168 GiB" in text
    )
    assert "less KV cache in host memory" in text
    assert resolved(_on_h200("2Ti")).serving.placed.workers
    without = {"worker": {"kv_transfer_config": None}}
    assert resolved(_on_h200("1500Gi", overrides=without)).serving.placed.workers


def test_a_worker_without_memory_for_its_weights_is_refused_with_what_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No node that is sold has so little memory for a GPU.
    monkeypatch.setattr("stacks.plan.placement.pools.WORKERS_SHARE", 0.5)
    settings = disagg_b200_settings()
    needs = "TrtllmPrefillWorker needs 80 GiB of shared memory and 61 GiB for weights, and has 128 GiB"
    assert f"serving.resources.prefill.memory\n  {needs}\n  allowed: 141Gi or more\n" in said(settings)
    assert resolved(changed(settings, override("prefill", tensor_parallel_size=2)))


POOL = "a node of pool b200 (1 x p6-b200.48xlarge, 8 GPUs)"
CANNOT_HOLD = (
    "Pulumi.dev.yaml: serving.replicas = 'prefill: 1, decode: 1'\n"
    "  pool b200 (1 x p6-b200.48xlarge, 8 GPUs) cannot hold 1 x TrtllmPrefillWorker (1 GPU each) and "
    "1 x TrtllmDecodeWorker (4 GPUs, {}, which is the share of 8 GPUs, each): 5 GPUs in all, and no worker "
    "may span nodes\n"
    "  try: 2 nodes in pool b200, or fewer replicas"
)


@pytest.mark.parametrize(
    ("resources", "text"),
    [
        (
            {"decode": {"cpu": 173}},
            f"Pulumi.dev.yaml: serving.resources.decode.cpu = 173\n  {POOL} has 172 of its 192 CPUs for "
            "workers; the rest is for system and daemon sets\n  allowed: 172 or less",
        ),
        (
            {"decode": {"memory": "2Ti"}},
            f"Pulumi.dev.yaml: serving.resources.decode.memory = '2Ti'\n  {POOL} has 1843 of its 2048 GiB "
            "for workers; the rest is for system and daemon sets\n  allowed: 1843Gi or less",
        ),
        (
            {"decode": {"memory": "100Gi"}},
            "Pulumi.dev.yaml: serving.resources.decode.memory = '100Gi'\n  TrtllmDecodeWorker needs 80 GiB "
            "of shared memory and 61 GiB for weights, and has 100 GiB\n  allowed: 141Gi or more\n"
            "  try: more GPUs for each worker (tensor_parallel_size)",
        ),
        ({"decode": {"cpu": 160}}, CANNOT_HOLD.format("160 CPUs and 921 GiB")),
        ({"decode": {"memory": "1700Gi"}}, CANNOT_HOLD.format("86 CPUs and 1700 GiB")),
        (
            {"worker": {"cpu": 40}},
            "Pulumi.dev.yaml: serving.resources.worker\n"
            "  gpt-oss-120b/trtllm-disagg has no worker workers\n  allowed: prefill, decode",
        ),
    ],
)
def test_sizes_that_no_node_holds_or_with_which_nothing_loads_are_refused_with_numbers(
    resources: dict[str, Any], text: str
) -> None:
    assert said(_with_resources(**resources)) == text


@pytest.mark.parametrize(
    ("cpu", "used_nodes", "sets", "free"),
    [
        (86, 1, 6, "4 GPUs"),
        # Beside a decode worker with nearly all CPUs of its node no other worker starts.
        (160, 2, 3, "a share of 8 GPUs"),
    ],
)
def test_processors_decide_as_gpus_do_what_fits_on_a_node_and_what_surges(
    cpu: int, used_nodes: int, sets: int, free: str
) -> None:
    settings = _with_resources(nodes=4, decode={"cpu": cpu})
    stack = resolved(settings)
    [pool] = stack.pools
    assert (pool.used_gpus, pool.used_nodes) == (5, used_nodes)
    _, decode = stack.serving.placed.workers
    assert decode.placement is not None
    assert decode.placement.rollout.reason == f"pool b200 has {free} free on one node for the new worker"
    filled = resolved(changed(settings, FILL)).serving.placed.workers
    assert [worker.replicas for worker in filled] == [sets, sets]
