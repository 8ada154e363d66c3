from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import INSTANCE_TYPES
from stacks.errors import SettingsError
from stacks.plan.stack_plan import StackPlan
from tests.stacks.changed_settings import changed, pools, replicas, said
from tests.support.dev_settings import agg_gb200_settings, dev_settings, resolved

GPUS = {"prefill": 1, "decode": 4}


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


POOL_KINDS = st.sampled_from(sorted(INSTANCE_TYPES))
REPLICAS = st.integers(min_value=1, max_value=12)


def _resolved_or_none(typed: dict[str, Any]) -> StackPlan | None:
    try:
        return resolved(typed)
    except SettingsError:
        return None


def _has_room(wanted: list[tuple[str, int, str]], nodes: dict[str, int]) -> bool:
    """By arithmetic alone: both sizes, 1 and 4, divide the GPUs of every kind of node."""
    if any(INSTANCE_TYPES[kind].accelerator.architecture_family != "blackwell" for _, _, kind in wanted):
        return False
    needed = Counter[str]()
    for role, count, kind in wanted:
        needed[kind] += GPUS[role] * count
    return all(gpus <= nodes[kind] * INSTANCE_TYPES[kind].gpus for kind, gpus in needed.items())


@given(
    prefill_kind=POOL_KINDS,
    decode_kind=POOL_KINDS,
    nodes=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    prefill=REPLICAS,
    decode=REPLICAS,
)
def test_whatever_is_typed_it_is_refused_or_every_worker_has_a_place(
    prefill_kind: str, decode_kind: str, nodes: tuple[int, int], prefill: int, decode: int
) -> None:
    kinds = {"one": prefill_kind} | ({"two": decode_kind} if decode_kind != prefill_kind else {})
    typed = changed(
        dev_settings(),
        {
            "nodePools": [
                {"name": name, "instanceType": kind, "nodes": count}
                for (name, kind), count in zip(kinds.items(), nodes, strict=False)
            ]
        },
        pools(prefill="one", decode="two" if "two" in kinds else "one"),
        replicas(prefill=prefill, decode=decode),
    )
    wanted = [("prefill", prefill, prefill_kind), ("decode", decode, decode_kind)]
    stack = _resolved_or_none(typed)
    assert (stack is not None) == _has_room(wanted, dict(zip(kinds.values(), nodes, strict=False)))
    if stack is None:
        return
    used: Counter[str] = Counter()
    for worker in stack.serving.placed.workers:
        assert worker.placement is not None
        node = worker.placement.instance_type
        assert node.accelerator.architecture_family == "blackwell"
        assert worker.gpus == GPUS[worker.role] <= node.gpus
        assert worker.placement.node_selector["kubernetes.io/arch"] == node.cpu_architecture
        used[worker.placement.pool] += worker.gpus * worker.replicas
    for placed in stack.pools:
        assert placed.used_gpus == used[placed.pool.name] <= placed.pool.gpus
