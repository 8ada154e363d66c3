from typing import Any

import pytest

from tests.stacks.changed_settings import changed, pools, said
from tests.support.dev_settings import agg_gb200_settings, dev_settings, resolved


def _workers(settings: dict[str, Any]) -> dict[str, Any]:
    return {worker.role: worker for worker in resolved(settings).serving.placed.workers}


B200 = {"nvidia.com/gpu.product": "NVIDIA-B200", "kubernetes.io/arch": "amd64"}
GB200 = {"nvidia.com/gpu.product": "NVIDIA-GB200", "kubernetes.io/arch": "arm64"}


@pytest.mark.parametrize(
    ("changes", "selector", "taints"),
    [
        ({}, B200, [("nvidia.com/gpu", "Exists", None)]),
        (
            {"serving.pool": "gb200"},
            GB200,
            [("nvidia.com/gpu", "Exists", None), ("kubernetes.io/arch", "Equal", "arm64")],
        ),
        (
            {"nodePools[0].labels": {"example.com/team": "serving"}},
            B200 | {"example.com/team": "serving"},
            [("nvidia.com/gpu", "Exists", None)],
        ),
    ],
)
def test_a_worker_lands_on_nodes_of_its_gpu_its_architecture_and_its_pool_s_labels_alone(
    changes: dict[str, Any], selector: dict[str, str], taints: list[tuple[str, str, str | None]]
) -> None:
    for worker in _workers(changed(dev_settings(), changes)).values():
        assert worker.placement.node_selector == selector
        assert [(each.key, each.operator, each.value) for each in worker.placement.tolerations] == taints


def test_roles_can_be_split_over_two_kinds_of_gpu() -> None:
    split = changed(dev_settings(), pools(prefill="b200", decode="gb200"))
    placed = {role: worker.placement.node_selector for role, worker in _workers(split).items()}
    assert placed == {"prefill": B200, "decode": GB200}
    assert {each.pool.name: each.used_gpus for each in resolved(split).pools} == {"b200": 1, "gb200": 4}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            pools(prefill="gb200", decode="gb200"),
            "Pulumi.dev.yaml: serving.pools\n"
            "  gpt-oss-120b/trtllm-agg has no prefill and decode workers: its KV cache never leaves the "
            "worker\n"
            "  try: name one pool with `pool`",
        ),
        (
            {"nodePools[0].instanceType": "p5en.48xlarge"},
            "Pulumi.dev.yaml: serving.pool = 'gb200'\n"
            "  TrtllmWorker uses what gpt-oss-120b/trtllm-agg asks of the engine, which H200 (hopper) has no "
            "kernels for\n"
            "  allowed: a pool of Blackwell GPUs",
        ),
    ],
)
def test_an_aggregated_recipe_takes_one_pool_of_gpus_that_have_its_kernels(
    changes: dict[str, Any], text: str
) -> None:
    assert said(changed(agg_gb200_settings(), changes)) == text
