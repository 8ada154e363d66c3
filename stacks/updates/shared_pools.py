"""The pools of a stack with the workers that run in them while new ones start."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recipes.placed import PlacedService
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.placement.packing import Room, WorkerSet, has_room_wherever_placed
from stacks.plan.placement.pools import may_share_nodes
from stacks.plan.placement.resources import occupied_gpus
from stacks.plan.stack_plan import StackPlan
from stacks.updates.comparable_graph import Service


@dataclass(frozen=True, slots=True)
class SharedPool:
    """A pool that the new workers use, and who is in it already."""

    placed: PlacedPool
    new: tuple[PlacedService, ...]
    old: tuple[Service, ...]
    """Also those of a pool that this stack no longer names, where their nodes may be the same."""
    one_nvlink_domain: bool = False
    """All of the new ones must be in one."""

    def __str__(self) -> str:
        return f"pool {self.placed.pool.name}"

    @property
    def room(self) -> Room:
        """The pool's nodes that the workers can use."""
        return self.placed.packing.room


def shared_pools(stack: StackPlan, running: Sequence[Service]) -> tuple[SharedPool, ...]:
    """Return the pools of the new workers with those of the running ones that may be on their nodes."""
    workers = stack.serving.placed.workers
    return tuple(
        SharedPool(
            placed,
            new=tuple(each for each in workers if each.placement and each.placement.pool == placed.pool.name),
            old=tuple(
                service
                for service in running
                if may_share_nodes(service.node_selector, placed.pool.node_selector)
            ),
            one_nvlink_domain=stack.serving.placed.same_clique,
        )
        for placed in stack.pools
        if placed.used_gpus
    )


def worker_set(service: PlacedService | Service) -> WorkerSet:
    """Return the pods of a service as the packing counts them."""
    return WorkerSet(service.name, service.gpus, service.replicas)


def occupying_set(worker: PlacedService) -> WorkerSet:
    """Return the pods of a new worker with the GPUs that they occupy."""
    gpus = worker.gpus
    if worker.placement is not None and worker.resources is not None:
        gpus = occupied_gpus(gpus, worker.resources, worker.placement.instance_type)
    return WorkerSet(worker.name, gpus, worker.replicas)


def holds_both(shared: SharedPool) -> bool:
    """Whether all new workers find their GPUs beside all old ones, wherever the scheduler put those."""
    running = [worker_set(service) for service in shared.old]
    for worker in sorted(shared.new, key=lambda worker: -worker.gpus):
        # If there is room for the last of them, there was for the others.
        wanted = occupying_set(worker)
        if not has_room_wherever_placed(replace(wanted, count=wanted.count - 1), running, shared.room):
            return False
        running.append(wanted)
    return True
