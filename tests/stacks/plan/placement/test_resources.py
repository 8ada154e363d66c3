from collections import defaultdict
from typing import Any

import pytest
import yaml

from lab.directory import REPOSITORY
from recipes.placed import PodResources
from stacks.plan.placement.resources import gib
from tests.support.dev_settings import (
    agg_gb200_settings,
    described_node,
    dev_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    existing_cluster_settings,
    problems_of,
    resolved,
)

NODES = REPOSITORY / "lab/fixtures/nodes.yaml"
FRONTENDS = 2
# Requests of the operator (its chart's defaults) and of NATS and etcd members, generously.
SERVERS_CPU, SERVERS_GIB = 2.0, 8.0


def _allocatable(instance_type: str) -> tuple[float, float]:
    """CPUs and GiB that the kubelet of such a node offers, from the lab's nodes."""
    for node in yaml.safe_load_all(NODES.read_text(encoding="utf-8")):
        if node and node["metadata"]["labels"]["node.kubernetes.io/instance-type"] == instance_type:
            offered = node["status"]["allocatable"]
            cpu, memory = offered["cpu"], offered["memory"]
            return int(cpu.removesuffix("m")) / 1000, int(memory.removesuffix("Ki")) / 2**20
    raise KeyError(instance_type)


def _filled(settings: dict[str, Any]) -> dict[str, Any]:
    settings["serving"]["replicas"] = "fill"
    return settings


@pytest.mark.parametrize(
    "settings",
    [dev_settings(), _filled(disagg_b200_settings()), disagg_gb200_settings(), agg_gb200_settings()],
)
def test_workers_that_share_a_node_fit_into_what_its_kubelet_offers(settings: dict[str, Any]) -> None:
    settings["nodePools"] = settings["nodePools"][:1]
    stack = resolved(settings)
    asked: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for worker in stack.serving.placed.workers:
        assert worker.placement is not None
        assert worker.resources is not None
        share = asked[worker.placement.instance_type.name]
        share[0] += worker.resources.cpu_request * worker.replicas
        share[1] += worker.resources.memory_gib * worker.replicas
    for placed in stack.pools:
        pool, used_nodes = placed.pool, placed.packing.used_nodes
        cpus, memory = _allocatable(pool.instance_type.name)
        asked_cpus, asked_memory = asked[pool.instance_type.name]
        assert asked_cpus <= 0.95 * cpus * used_nodes
        assert asked_memory <= 0.95 * memory * used_nodes


def test_frontends_and_servers_fit_on_one_system_node() -> None:
    cpus, memory = _allocatable("m7i.4xlarge")
    [frontend] = [one for one in resolved().serving.placed.services if one.role == "frontend"]
    assert frontend.resources is not None
    assert frontend.resources.cpu_limit >= frontend.resources.cpu_request
    assert FRONTENDS * frontend.resources.cpu_request + SERVERS_CPU <= cpus
    assert FRONTENDS * frontend.resources.memory_gib + SERVERS_GIB <= memory


def test_a_worker_gets_an_equal_share_of_its_node_for_each_gpu() -> None:
    sizes = {worker.role: worker.resources for worker in resolved().serving.placed.workers}
    prefill, decode = sizes["prefill"], sizes["decode"]
    assert prefill is not None
    assert decode is not None
    # Of 192 CPUs and 2048 GiB for 8 GPUs, less a tenth.
    assert (prefill.cpu_request, prefill.memory_gib) == (21, 230)
    assert (decode.cpu_request, decode.memory_gib) == (86, 921)
    assert (prefill.cpu_limit, decode.cpu_limit) == (21, 86)


def test_a_worker_with_all_gpus_of_a_tray_gets_all_that_workers_may_have() -> None:
    [worker] = resolved(agg_gb200_settings()).serving.placed.workers
    assert worker.resources is not None
    assert (worker.resources.cpu_request, worker.resources.memory_gib) == (129, 864)


def test_a_worker_without_memory_for_its_weights_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # No node that is sold has so little memory for a GPU.
    monkeypatch.setattr("stacks.plan.placement.resources.WORKERS_SHARE", 0.5)
    settings = disagg_b200_settings()
    problems = problems_of(settings)
    assert [(problem.key, problem.message) for problem in problems] == [
        (
            "serving.recipe",
            "TrtllmPrefillWorker needs 80 GiB of shared memory and 61 GiB for weights; 1 GPU of "
            "p6-b200.48xlarge come with 128 GiB",
        )
    ]
    settings["serving"]["overrides"] = {"prefill": {"max_batch_size": 32}}
    assert problems_of(settings)[0].key == "serving.overrides.prefill"
    settings["serving"]["overrides"] = {"prefill": {"tensor_parallel_size": 2}}
    assert resolved(settings).serving.placed.workers[0].gpus == 2


def _on_h200(memory: str, **serving: Any) -> dict[str, Any]:
    """Settings of eight vLLM workers on a machine with so much memory."""
    settings = existing_cluster_settings(
        {"recipe": "gpt-oss-120b/vllm-agg", "pool": "h200", **serving}, [{"name": "h200", "nodes": 1}]
    )
    settings["nodePools"][0]["node"] = described_node(accelerator="H200", memory=memory, labels={})
    return settings


def test_kv_cache_in_host_memory_counts_and_is_named_with_the_rest() -> None:
    problem, *_ = problems_of(_on_h200("1500Gi"))
    assert problem.message == (
        "agg needs 64 GiB of shared memory, 61 GiB for weights and 100 GiB for KV cache that leaves the GPU; "
        "1 GPU of 8xH200-amd64 come with 168 GiB"
    )
    assert problem.suggestion is not None
    assert "less KV cache in host memory" in problem.suggestion
    assert resolved(_on_h200("2Ti")).serving.placed.workers
    without = {"worker": {"kv_transfer_config": None}}
    assert resolved(_on_h200("1500Gi", overrides=without)).serving.placed.workers


@pytest.mark.parametrize(("quantity", "size"), [("80Gi", 80), ("512Mi", 0.5), ("1Ti", 1024)])
def test_a_quantity_is_read_in_gib(quantity: str, size: float) -> None:
    assert gib(quantity) == size


def test_a_quantity_in_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="80G is not a size"):
        gib("80G")


def _with_resources(nodes: int = 1, **resources: dict[str, Any]) -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["nodes"] = nodes
    settings["serving"]["resources"] = resources
    return settings


def test_a_worker_gets_the_processors_and_memory_that_are_typed_and_the_rest_by_its_gpus() -> None:
    prefill, decode = resolved(_with_resources(prefill={"cpu": 40})).serving.placed.workers
    assert prefill.resources == PodResources(cpu_request=40, cpu_limit=40, memory_gib=230)
    assert decode.resources == PodResources(cpu_request=86, cpu_limit=86, memory_gib=921)
    _, decode = resolved(_with_resources(decode={"memory": "1Ti"})).serving.placed.workers
    assert decode.resources == PodResources(cpu_request=86, cpu_limit=86, memory_gib=1024)


@pytest.mark.parametrize(
    ("resources", "key", "allowed"),
    [
        ({"cpu": 173}, "serving.resources.decode.cpu", "172 or less"),
        ({"memory": "2Ti"}, "serving.resources.decode.memory", "1843Gi or less"),
        ({"memory": "100Gi"}, "serving.resources.decode.memory", "141Gi or more"),
    ],
)
def test_a_worker_that_no_node_holds_or_that_could_not_load_is_refused_with_numbers(
    resources: dict[str, Any], key: str, allowed: str
) -> None:
    [problem] = problems_of(_with_resources(decode=resources))
    assert (problem.key, problem.allowed) == (key, allowed)


def test_a_size_says_how_much_of_the_node_workers_can_have() -> None:
    [problem] = problems_of(_with_resources(decode={"cpu": 173}))
    assert problem.message == (
        "a node of pool b200 (1 x p6-b200.48xlarge, 8 GPUs) has 172 of its 192 CPUs for workers; the rest is "
        "for system and daemon sets"
    )


def test_workers_that_fit_by_their_gpus_and_not_by_their_processors_are_refused() -> None:
    settings = _with_resources(decode={"cpu": 160})
    [problem] = problems_of(settings)
    assert problem.key == "serving.replicas"
    assert (
        "1 x TrtllmDecodeWorker (4 GPUs, 160 CPUs and 921 GiB, which is the share of 8 GPUs, each)"
        in problem.message
    )
    assert problem.suggestion == "2 nodes in pool b200, or fewer replicas"
    stack = resolved(_with_resources(nodes=2, decode={"cpu": 160}))
    assert [(placed.used_gpus, placed.packing.used_nodes) for placed in stack.pools] == [(5, 2)]


def test_workers_that_fit_by_their_gpus_and_not_by_their_memory_are_refused() -> None:
    [problem] = problems_of(_with_resources(decode={"memory": "1700Gi"}))
    assert problem.key == "serving.replicas"
    assert "86 CPUs and 1700 GiB, which is the share of 8 GPUs, each)" in problem.message


def test_fill_counts_processors_and_memory_too() -> None:
    sets = {
        cpu: [worker.replicas for worker in resolved(_filled(settings)).serving.placed.workers]
        for cpu in (86, 160)
        for settings in [_with_resources(nodes=4, decode={"cpu": cpu})]
    }
    # Beside a decode worker with nearly all CPUs of its node no other worker starts.
    assert sets == {86: [6, 6], 160: [3, 3]}


def test_a_worker_surges_only_where_its_processors_are_free() -> None:
    def strategy(cpu: int) -> str:
        _, decode = resolved(_with_resources(nodes=3, decode={"cpu": cpu})).serving.placed.workers
        assert decode.placement is not None
        return decode.placement.rollout.reason

    assert strategy(86) == "pool b200 has 4 GPUs free on one node for the new worker"
    assert strategy(160) == "pool b200 has a share of 8 GPUs free on one node for the new worker"


def test_sizes_for_a_role_that_the_recipe_does_not_have_are_refused() -> None:
    [problem] = problems_of(_with_resources(worker={"cpu": 40}))
    assert (problem.key, problem.allowed) == ("serving.resources.worker", "prefill, decode")
