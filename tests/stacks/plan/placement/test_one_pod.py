"""Where a pod may run that has prefill and decode in it, and how its KV cache travels."""

from typing import Any

import pytest

from tests.stacks.changed_settings import Settings, changed, pools, said
from tests.support.dev_settings import existing_cluster_settings, resolved

MANY_WORKERS = "gpt-oss-120b/trtllm-disagg-one-pod"


def _settings(instance_type: str = "p6-b200.48xlarge", nodes: int = 1, **serving: Any) -> Settings:
    return existing_cluster_settings(
        {"recipe": "gpt-oss-120b/trtllm-disagg-8gpu", "pool": "gpus", **serving},
        [{"name": "gpus", "instanceType": instance_type, "nodes": nodes}],
    )


def _worker(settings: Settings) -> Any:
    [worker] = resolved(settings).serving.placed.workers
    return worker


@pytest.mark.parametrize("way", ["mnnvl", "efa"])
def test_a_way_out_of_the_pod_is_refused(way: str) -> None:
    text = said(_settings(kvTransport=way))
    assert text.startswith(
        f"Pulumi.dev.yaml: serving.kvTransport = '{way}'\n"
        "  impossible here: prefill and decode are processes of one pod, which this leads out of\n"
    )
    assert text.endswith("\n  try: kvTransport: nvlink")


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        pytest.param(
            _settings("p6e-gb200.36xlarge", nodes=2),
            "Pulumi.dev.yaml: serving.pool = 'gpus'\n"
            "  TrtllmWorker needs 8 GPUs on one node; a node of pool gpus (2 x p6e-gb200.36xlarge, 8 GPUs) "
            "has 4\n"
            "  allowed: a pool whose nodes have 8 GPUs or more\n"
            "  try: a recipe whose prefill and decode workers have pods of their own",
            id="a node with fewer GPUs than the pod",
        ),
        pytest.param(
            _settings(replicas={"prefill": 2}),
            "Pulumi.dev.yaml: serving.pool = 'gpus'\n"
            "  TrtllmWorker needs 12 GPUs on one node; a node of pool gpus (1 x p6-b200.48xlarge, 8 GPUs) "
            "has 8\n"
            "  allowed: a pool whose nodes have 12 GPUs or more\n"
            "  try: a recipe whose prefill and decode workers have pods of their own",
            id="a pod of more workers than the node has GPUs for",
        ),
        pytest.param(
            _settings(nodes=2, replicas={"worker": 2}),
            "Pulumi.dev.yaml: serving.replicas = 'worker: 2'\n"
            "  pool gpus (2 x p6-b200.48xlarge, 16 GPUs) cannot hold 2 x TrtllmWorker (8 GPUs each): 16 GPUs "
            "in all, and over NVLink only the prefill and the decode worker of one pod reach each other\n"
            "  try: 1, and another stack for the next node; or a recipe with pods of their own",
            id="a second pod, whose workers would not reach those of the first",
        ),
        pytest.param(
            _settings(recipe=MANY_WORKERS, replicas="fill"),
            "Pulumi.dev.yaml: serving.replicas = 'fill'\n"
            "  prefill and decode share one pod here, and nothing says how many workers of each it runs\n"
            "  try: {prefill: 4, decode: 2}",
            id="fill where one pod may hold more workers than the recipe's",
        ),
        pytest.param(
            changed(_settings(), pools(prefill="gpus", decode="gpus")),
            "Pulumi.dev.yaml: serving.pools\n"
            "  gpt-oss-120b/trtllm-disagg-8gpu runs prefill and decode in one pod\n"
            "  try: name one pool with `pool`",
            id="a pool for each role",
        ),
    ],
)
def test_a_pod_that_no_node_holds_or_that_is_to_be_divided_is_refused_with_what_would_do(
    settings: Settings, text: str
) -> None:
    assert said(settings) == text


@pytest.mark.parametrize(
    ("settings", "pods"),
    [
        pytest.param(
            _settings(nodes=2, replicas={"worker": 2}, kvTransport="tcp"), 2, id="TCP, over which more reach"
        ),
        pytest.param(_settings(nodes=3, replicas="fill"), 1, id="fill, however many nodes there are"),
    ],
)
def test_there_are_as_many_pods_as_reach_each_other(settings: Settings, pods: int) -> None:
    assert _worker(settings).replicas == pods


def test_a_spare_node_lets_the_next_pod_start_beside_the_old() -> None:
    assert _worker(_settings(nodes=2)).placement.rollout.strategy == "RollingUpdate"


def test_numbers_of_prefill_and_decode_workers_are_those_of_the_pod() -> None:
    worker = _worker(_settings(recipe=MANY_WORKERS, replicas={"prefill": 4, "decode": 2}))
    assert (worker.replicas, worker.gpus) == (1, 8)
    assert [each.role for each in worker.processes] == ["prefill"] * 4 + ["decode"] * 2
