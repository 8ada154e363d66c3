from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
import yaml

from lab.directory import REPOSITORY
from stacks.plan.placement.resources import gib
from tests.support.dev_settings import (
    agg_gb200_settings,
    dev_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
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
        share = asked[worker.placement.instance_type]
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


@pytest.mark.parametrize(("quantity", "size"), [("80Gi", 80), ("512Mi", 0.5), ("1Ti", 1024)])
def test_a_quantity_is_read_in_gib(quantity: str, size: float) -> None:
    assert gib(quantity) == size


def test_a_quantity_in_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="80G is not a size"):
        gib("80G")
