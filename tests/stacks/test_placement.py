from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import INSTANCE_TYPES
from stacks.errors import SettingsError
from stacks.packing import pack
from tests.support.dev_settings import dev_settings, resolved

if TYPE_CHECKING:
    from stacks.resolved import ResolvedStack

GPUS = {"prefill": 1, "decode": 4}


def _on_gb200(nodes: int = 2, **replicas: int) -> ResolvedStack:
    changed = dev_settings()
    changed["serving"] |= {"pool": "gb200", "replicas": replicas}
    changed["nodePools"][1]["nodes"] = nodes
    return resolved(changed)


def _worker(stack: ResolvedStack, role: str) -> Any:
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


def test_roles_can_be_split_over_two_kinds_of_gpu() -> None:
    changed = dev_settings()
    del changed["serving"]["pool"]
    changed["serving"]["pools"] = {"prefill": "b200", "decode": "gb200"}
    stack = resolved(changed)
    assert _worker(stack, "prefill").placement.pool == "b200"
    assert _worker(stack, "decode").placement.instance_type == "p6e-gb200.36xlarge"
    assert {pool.name: pool.used_gpus for pool in stack.pools} == {"b200": 1, "gb200": 4}


def test_a_worker_surges_only_into_gpus_that_are_free() -> None:
    stack = resolved()
    assert _worker(stack, "prefill").placement.rollout.strategy == "RollingUpdate"
    decode = _worker(stack, "decode").placement.rollout
    assert decode.strategy == "Recreate"
    assert decode.reason == (
        "pool b200 (1 x p6-b200.48xlarge, 8 GPUs) has no 4 GPUs free on one node to start a new "
        "worker beside the old"
    )


def test_a_second_node_lets_the_large_worker_surge_too() -> None:
    changed = dev_settings()
    changed["nodePools"][0]["nodes"] = 2
    stack = resolved(changed)
    assert [_worker(stack, role).placement.rollout.strategy for role in GPUS] == ["RollingUpdate"] * 2


def test_free_gpus_in_pieces_are_no_room_for_a_surge() -> None:
    # Two trays: decode fills one, prefill leaves three GPUs of the other.
    assert _worker(_on_gb200(), "decode").placement.rollout.strategy == "Recreate"


def test_two_workers_cannot_surge_into_the_same_gpus() -> None:
    # On one node of 8, 4 + 3 x 1 GPUs leave a single one, which is room for prefill alone.
    changed = dev_settings()
    changed["serving"]["replicas"] = {"prefill": 3}
    stack = resolved(changed)
    assert _worker(stack, "decode").placement.rollout.strategy == "Recreate"
    assert _worker(stack, "prefill").placement.rollout.strategy == "RollingUpdate"
    # Decode surges into the last four of 2 x 8 GPUs, so nothing is left for prefill.
    changed["serving"]["replicas"] = {"prefill": 4, "decode": 2}
    changed["nodePools"][0]["nodes"] = 2
    stack = resolved(changed)
    assert _worker(stack, "decode").placement.rollout.strategy == "RollingUpdate"
    assert _worker(stack, "prefill").placement.rollout.strategy == "Recreate"


POOL_KINDS = st.sampled_from(sorted(INSTANCE_TYPES))
REPLICAS = st.integers(min_value=1, max_value=12)


def _resolved_or_none(changed: dict[str, Any]) -> ResolvedStack | None:
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
        node = INSTANCE_TYPES[worker.placement.instance_type]
        assert node.accelerator.architecture_family == "blackwell"
        assert worker.gpus == GPUS[worker.role] <= node.gpus
        assert worker.placement.node_selector["kubernetes.io/arch"] == node.cpu_architecture
        used[worker.placement.pool] += worker.gpus * worker.replicas
    for pool in stack.pools:
        assert pool.used_gpus == used[pool.name] <= pool.gpus


@settings(max_examples=300, deadline=None)
@given(
    workers=st.lists(st.sampled_from([1, 2, 4, 8]), max_size=12),
    nodes=st.integers(1, 5),
    gpus_per_node=st.sampled_from([4, 8]),
)
def test_packing_finds_room_exactly_when_there_is_room(
    workers: list[int], nodes: int, gpus_per_node: int
) -> None:
    free = pack(workers, nodes, gpus_per_node)
    fits = sum(workers) <= nodes * gpus_per_node and all(gpus <= gpus_per_node for gpus in workers)
    assert (free is not None) == fits
    if free is not None:
        assert sum(free) == nodes * gpus_per_node - sum(workers)
        assert all(0 <= room <= gpus_per_node for room in free)


def test_the_largest_worker_is_packed_first() -> None:
    # The small ones first would share a node, and leave the second large one without any.
    assert pack([3, 3, 5, 5], nodes=2, gpus_per_node=8) == (0, 0)
