from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import INSTANCE_TYPES
from stacks.errors import SettingsError
from stacks.plan.stack_plan import StackPlan
from tests.support.dev_settings import agg_gb200_settings, dev_settings, problems_of, resolved

GPUS = {"prefill": 1, "decode": 4}


def _on_gb200(nodes: int = 2, **replicas: int) -> StackPlan:
    changed = dev_settings()
    changed["serving"] |= {"pool": "gb200", "replicas": replicas}
    changed["nodePools"][1]["nodes"] = nodes
    return resolved(changed)


def _worker(stack: StackPlan, role: str) -> Any:
    [worker] = [worker for worker in stack.serving.placed.workers if worker.role == role]
    return worker


def test_a_gb200_worker_never_lands_on_x86() -> None:
    for role in GPUS:
        placement = _worker(_on_gb200(), role).placement
        assert placement.node_selector == {
            "nvidia.com/gpu.product": "NVIDIA-GB200",
            "kubernetes.io/arch": "arm64",
        }
        assert [(taint.key, taint.operator, taint.value) for taint in placement.tolerations] == [
            ("nvidia.com/gpu", "Exists", None),
            ("kubernetes.io/arch", "Equal", "arm64"),
        ]


def test_a_b200_worker_never_lands_on_arm64() -> None:
    for role in GPUS:
        placement = _worker(resolved(), role).placement
        assert placement.node_selector == {
            "nvidia.com/gpu.product": "NVIDIA-B200",
            "kubernetes.io/arch": "amd64",
        }
        assert [taint.key for taint in placement.tolerations] == ["nvidia.com/gpu"]


def test_the_frontend_is_placed_on_no_pool() -> None:
    [frontend] = [service for service in resolved().serving.placed.services if service.role == "frontend"]
    assert frontend.placement is None


def test_the_labels_of_a_pool_are_part_of_its_selector() -> None:
    changed = dev_settings()
    changed["nodePools"][0]["labels"] = {"example.com/team": "serving"}
    assert _worker(resolved(changed), "decode").placement.node_selector == {
        "nvidia.com/gpu.product": "NVIDIA-B200",
        "kubernetes.io/arch": "amd64",
        "example.com/team": "serving",
    }


def test_roles_can_be_split_over_two_kinds_of_gpu() -> None:
    changed = dev_settings()
    del changed["serving"]["pool"]
    changed["serving"]["pools"] = {"prefill": "b200", "decode": "gb200"}
    stack = resolved(changed)
    assert _worker(stack, "prefill").placement.pool == "b200"
    assert _worker(stack, "decode").placement.instance_type.name == "p6e-gb200.36xlarge"
    assert {placed.pool.name: placed.used_gpus for placed in stack.pools} == {"b200": 1, "gb200": 4}
    assert {placed.pool.name: placed.packing.used_nodes for placed in stack.pools} == {"b200": 1, "gb200": 1}


def test_an_aggregated_worker_takes_one_whole_tray() -> None:
    stack = resolved(agg_gb200_settings())
    assert [worker.role for worker in stack.serving.placed.workers] == ["worker"]
    assert _worker(stack, "worker").placement.node_selector["kubernetes.io/arch"] == "arm64"
    [pool] = stack.pools
    assert (pool.used_gpus, pool.packing.used_nodes, pool.free_gpus) == (4, 1, 0)


def test_an_aggregated_recipe_takes_one_pool_alone() -> None:
    settings = agg_gb200_settings()
    del settings["serving"]["pool"]
    settings["serving"]["pools"] = {"prefill": "gb200", "decode": "gb200"}
    [problem] = problems_of(settings)
    assert problem.key == "serving.pools"
    assert "its KV cache never leaves the worker" in problem.message


def test_an_aggregated_recipe_is_refused_on_hopper() -> None:
    settings = agg_gb200_settings()
    settings["nodePools"][0]["instanceType"] = "p5en.48xlarge"
    [problem] = problems_of(settings)
    assert problem.key == "serving.pool"
    assert problem.message == (
        "TrtllmWorker uses what gpt-oss-120b/trtllm-agg asks of the engine, which H200 (hopper) has no "
        "kernels for"
    )


POOL_KINDS = st.sampled_from(sorted(INSTANCE_TYPES))
REPLICAS = st.integers(min_value=1, max_value=12)


def _resolved_or_none(changed: dict[str, Any]) -> StackPlan | None:
    try:
        return resolved(changed)
    except SettingsError:
        return None


def _has_room(wanted: list[tuple[str, int, str]], nodes: dict[str, int]) -> bool:
    """By arithmetic alone: both sizes, 1 and 4, divide the GPUs of every kind of node."""
    if any(INSTANCE_TYPES[kind].accelerator.architecture_family != "blackwell" for _, _, kind in wanted):
        return False
    needed = Counter[str]()
    for role, replicas, kind in wanted:
        needed[kind] += GPUS[role] * replicas
    return all(gpus <= nodes[kind] * INSTANCE_TYPES[kind].gpus for kind, gpus in needed.items())


@settings(max_examples=200, deadline=None)
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
    changed = dev_settings()
    pools = {"one": prefill_kind} | ({"two": decode_kind} if decode_kind != prefill_kind else {})
    changed["nodePools"] = [
        {"name": name, "instanceType": kind, "nodes": count}
        for (name, kind), count in zip(pools.items(), nodes, strict=False)
    ]
    del changed["serving"]["pool"]
    changed["serving"]["pools"] = {"prefill": "one", "decode": "two" if "two" in pools else "one"}
    changed["serving"]["replicas"] = {"prefill": prefill, "decode": decode}
    wanted = [("prefill", prefill, prefill_kind), ("decode", decode, decode_kind)]
    stack = _resolved_or_none(changed)
    assert (stack is not None) == _has_room(wanted, dict(zip(pools.values(), nodes, strict=False)))
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
