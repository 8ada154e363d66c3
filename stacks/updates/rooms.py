"""The pools of a stack with the workers that run in them while new ones start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recipes.placed import PlacedService, PoolPlacement
from stacks.plan.placement.packing import Room, WorkerSet, has_room_wherever_placed
from stacks.plan.stack_plan import ResolvedPool, StackPlan
from stacks.updates.graph import Service


@dataclass(frozen=True, slots=True)
class SharedPool:
    """A pool that the new workers use, and who is in it already."""

    pool: ResolvedPool
    room: Room
    new: tuple[PlacedService, ...]
    old: tuple[Service, ...]
    """Also those of a pool that this stack no longer names, where their nodes may be the same."""
    one_nvlink_domain: bool = False
    """All of the new ones must be in one."""

    def __str__(self) -> str:
        return f"pool {self.pool.name}"


def shared_pools(stack: StackPlan, running: Sequence[Service]) -> tuple[SharedPool, ...]:
    """Return the pools of the new workers with those of the running ones that may be on their nodes."""
    placed: dict[str, list[tuple[PlacedService, PoolPlacement]]] = {}
    for worker in stack.serving.placed.workers:
        if worker.placement:
            placed.setdefault(worker.placement.pool, []).append((worker, worker.placement))
    return tuple(
        SharedPool(
            pool,
            _room(pool, stack),
            new=tuple(worker for worker, _ in placed[pool.name]),
            old=tuple(
                service
                for service in running
                if _may_share_nodes(service.node_selector, placed[pool.name][0][1].node_selector)
            ),
            one_nvlink_domain=stack.serving.placed.same_clique,
        )
        for pool in stack.pools
        if pool.name in placed
    )


def holds_both(shared: SharedPool) -> bool:
    """Whether all new workers find their GPUs beside all old ones, wherever the scheduler put those."""
    running = [WorkerSet(service.name, service.gpus, service.replicas) for service in shared.old]
    for worker in sorted(shared.new, key=lambda worker: -worker.gpus):
        # If there is room for the last of them, there was for the others.
        but_one = WorkerSet(worker.name, worker.gpus, worker.replicas - 1)
        if not has_room_wherever_placed(but_one, running, shared.room):
            return False
        running.append(WorkerSet(worker.name, worker.gpus, worker.replicas))
    return True


def _room(pool: ResolvedPool, stack: StackPlan) -> Room:
    gpus = pool.instance_type.gpus
    transport = stack.serving.kv_transport
    if transport is None:
        return Room(pool.nodes, gpus)
    path = transport.path
    return Room(
        nodes=min(pool.nodes, pool.nvlink_domain_gpus // gpus) if path.same_clique else pool.nodes,
        gpus_per_node=gpus,
        one_pod_per_node=path.one_pod_per_node,
        different_nodes=path.different_nodes,
    )


def _may_share_nodes(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return all(one[label] == other[label] for label in one.keys() & other.keys())
