"""Where a pod may run that has prefill and decode in it, and how its KV cache travels."""

from typing import Any

import pytest

from hardware import Standing
from stacks.plan.losses import losses
from tests.support.dev_settings import (
    disagg_b200_settings,
    existing_cluster_settings,
    problems_of,
    resolved,
)

RECIPE = "gpt-oss-120b/trtllm-disagg-8gpu"


def _settings(instance_type: str = "p6-b200.48xlarge", nodes: int = 1, **serving: Any) -> dict[str, Any]:
    return existing_cluster_settings(
        {"recipe": RECIPE, "pool": "gpus", **serving},
        [{"name": "gpus", "instanceType": instance_type, "nodes": nodes}],
    )


def test_nvlink_is_chosen_without_being_typed() -> None:
    placed = resolved(_settings()).serving.placed
    transport = placed.kv_transport
    assert transport is not None
    assert (transport.name, transport.explicit, transport.path.standing) == (
        "nvlink",
        False,
        Standing.DOCUMENTED,
    )
    assert "at most 381 prompts a second over 7,200 Gbit/s of NVLink of one GPU" in transport.ceiling
    assert "where TCP would carry 0.4 to 1.3" in transport.ceiling
    [worker] = placed.workers
    assert (worker.name, worker.role, worker.roles, worker.gpus) == (
        "TrtllmWorker",
        "worker",
        ("prefill", "decode"),
        8,
    )


def test_tcp_can_be_typed_and_says_that_nvlink_lifts_it() -> None:
    transport = resolved(_settings(kvTransport="tcp")).serving.placed.kv_transport
    assert transport is not None
    assert transport.path.lifted_by.startswith("nvlink")


@pytest.mark.parametrize("transport", ["mnnvl", "efa"])
def test_a_way_out_of_the_pod_is_refused(transport: str) -> None:
    [problem] = problems_of(_settings(kvTransport=transport))
    assert problem.key == "serving.kvTransport"
    assert "processes of one pod, which this leads out of" in problem.message
    assert problem.suggestion == "kvTransport: nvlink"


def test_nvlink_between_pods_of_their_own_is_refused_with_the_reason_and_what_has_it() -> None:
    settings = disagg_b200_settings()
    settings["serving"]["kvTransport"] = "nvlink"
    [problem] = problems_of(settings)
    assert (problem.key, problem.value) == ("serving.kvTransport", "nvlink")
    assert "within one process namespace, and each pod has its own" in problem.message
    assert problem.suggestion == "a recipe whose prefill and decode are processes of one pod"
    assert "tcp, unproven" in str(problem.allowed)


def test_a_node_with_fewer_gpus_than_the_pod_is_refused_with_what_would_do() -> None:
    [problem] = problems_of(_settings("p6e-gb200.36xlarge", nodes=2))
    assert problem.key == "serving.pool"
    assert "TrtllmWorker needs 8 GPUs on one node" in problem.message
    assert problem.allowed == "a pool whose nodes have 8 GPUs or more"
    assert problem.suggestion == "a recipe whose prefill and decode workers have pods of their own"


def test_a_second_pod_is_refused_because_workers_of_two_would_not_reach_each_other() -> None:
    [problem] = problems_of(_settings(nodes=2, replicas={"worker": 2}))
    assert problem.key == "serving.replicas"
    assert "only the prefill and the decode worker of one pod reach each other" in problem.message
    assert str(problem.suggestion).startswith("1, and another stack for the next node")


def test_over_tcp_there_may_be_more_pods() -> None:
    placed = resolved(_settings(nodes=2, replicas={"worker": 2}, kvTransport="tcp")).serving.placed
    assert [worker.replicas for worker in placed.workers] == [2]


def test_fill_makes_one_pod_however_many_nodes_there_are() -> None:
    placed = resolved(_settings(nodes=3, replicas="fill")).serving.placed
    assert [worker.replicas for worker in placed.workers] == [1]


def test_fill_is_refused_where_one_pod_may_hold_more_workers_than_the_recipe_s() -> None:
    [problem] = problems_of(_settings(recipe="gpt-oss-120b/trtllm-disagg-one-pod", replicas="fill"))
    assert (problem.key, problem.value) == ("serving.replicas", "fill")
    assert problem.suggestion == "{prefill: 4, decode: 2}"


def test_a_spare_node_lets_the_next_pod_start_beside_the_old() -> None:
    [worker] = resolved(_settings(nodes=2)).serving.placed.workers
    assert worker.placement is not None
    assert worker.placement.rollout.strategy == "RollingUpdate"


def test_numbers_of_prefill_and_decode_workers_are_those_of_the_pod() -> None:
    replicas = {"prefill": 4, "decode": 2}
    plan = resolved(_settings(recipe="gpt-oss-120b/trtllm-disagg-one-pod", replicas=replicas))
    [worker] = plan.serving.placed.workers
    assert (worker.replicas, worker.gpus) == (1, 8)
    assert [each.role for each in worker.recipe.processes] == ["prefill"] * 4 + ["decode"] * 2


def test_a_pod_of_more_workers_than_the_node_has_gpus_for_is_refused() -> None:
    [problem] = problems_of(_settings(replicas={"prefill": 2}))
    assert problem.key == "serving.pool"
    assert "TrtllmWorker needs 12 GPUs on one node" in problem.message


def test_a_pool_for_each_role_is_refused() -> None:
    settings = _settings()
    del settings["serving"]["pool"]
    settings["serving"]["pools"] = {"prefill": "gpus", "decode": "gpus"}
    [problem] = problems_of(settings)
    assert problem.key == "serving.pools"
    assert "runs prefill and decode in one pod" in problem.message


def test_options_are_overridden_by_the_role_of_the_worker() -> None:
    overrides = {"decode": {"max_batch_size": 64}}
    recipe = resolved(_settings(overrides=overrides)).serving.placed.recipe
    assert recipe.engine_of("decode").concurrent_requests == 256
    assert recipe.engine_of("prefill").concurrent_requests == 32


def test_the_loss_of_one_worker_is_that_of_the_pod() -> None:
    [said] = losses(resolved(_settings()).serving)
    assert "of the only TrtllmWorker: its answers and" in said
