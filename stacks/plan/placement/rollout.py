"""What happens to each kind of worker when its pod template changes, and what clients notice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from recipes.placed import Rollout
from stacks.plan.placement.capacity import PoolCapacity
from stacks.plan.placement.packing import WorkerSet, pack, surges
from stacks.wording import in_words


def rollouts(
    capacities: Sequence[PoolCapacity], replicas: Mapping[str, int], load: str
) -> dict[str, Rollout]:
    """Return how each worker is rolled, by its service's name.

    A worker surges only where its pool holds one more wherever the scheduler put the others, with the surges
    of the others in place: all workers of a graph roll together when any worker's pod template changes
    (ai-dynamo/dynamo#6110), so GPUs that two of them would surge into count once.

    Args:
        capacities: the pools with their workers.
        replicas: workers by service.
        load: what a new worker does before it serves, with the time, as in "has loaded 65.2 GB, 31 min".

    """
    surging: dict[str, str] = {}
    waiting: dict[str, str] = {}
    for capacity in capacities:
        for name, reason, fits in _in_pool(capacity, replicas):
            (surging if fits else waiting)[name] = reason
    return described(surging, waiting, load)


def described(surging: Mapping[str, str], waiting: Mapping[str, str], load: str) -> dict[str, Rollout]:
    """Return the rollouts with what clients notice of them.

    Args:
        surging: worker -> why its successor can start beside it.
        waiting: worker -> why its successor has to wait until it is gone.
        load: what a new worker does before it serves, with the time.

    """
    recreated = " and ".join(waiting)
    interruption = f"nothing serves until the new worker {load}"
    return {
        name: Rollout("RollingUpdate", reason, _while_surging(recreated, load))
        for name, reason in surging.items()
    } | {name: Rollout("Recreate", reason, interruption) for name, reason in waiting.items()}


def _in_pool(capacity: PoolCapacity, replicas: Mapping[str, int]) -> Iterator[tuple[str, str, bool]]:
    """Yield each worker's name, the reason for its strategy and whether it surges."""
    for some, others, fits in surges(capacity.workers(replicas), capacity.room, replicas):
        pool, wanted = f"pool {capacity.pool.name} has", _wanted(capacity, some)
        article = "" if wanted[0].isdigit() else "a "
        if fits:
            yield some.name, f"{pool} {article}{wanted} for the new worker", True
        elif pack([*others, replace(some, count=some.count + 1)], capacity.room) is None:
            yield some.name, f"{pool} no {wanted} to start a new worker beside the old", False
        else:
            only = "only if the scheduler has put the others close together"
            yield some.name, f"{pool} {article}{wanted} {only}", False


def _wanted(capacity: PoolCapacity, some: WorkerSet) -> str:
    if not capacity.room.one_pod_per_node:
        [gpus] = [one.worker.gpus for one in capacity.assigned if one.name == some.name]
        # Processor time and memory can be scarcer than GPUs.
        of = "" if some.gpus == gpus else "share of "
        return f"{of}{in_words(some.gpus, 'GPU')} free on one node"
    return "whole node free" + (" in the workers' NVLink domain" if capacity.one_nvlink_domain else "")


def _while_surging(recreated: str, load: str) -> str:
    if not recreated:
        return f"no interruption: the old worker serves until the new one {load}"
    return (
        f"the new worker starts beside the old, but clients wait for {recreated}: two generations do not "
        "serve together"
    )
