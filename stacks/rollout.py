"""What happens to each kind of worker when its pod template changes, and what clients notice."""

from collections.abc import Mapping, Sequence

from recipes.placed import Rollout
from stacks.packing import WorkerSet, has_room_wherever_placed
from stacks.room import PoolRoom
from stacks.wording import in_words


def rollouts(rooms: Sequence[PoolRoom], replicas: Mapping[str, int], load: str) -> dict[str, Rollout]:
    """Return how each worker is rolled, by its service's name.

    A worker surges only where its pool holds one more wherever the scheduler put the others, with the surges
    of the others in place: all workers of a graph roll together when any worker's pod template changes
    (ai-dynamo/dynamo#6110), so GPUs that two of them would surge into count once.

    Args:
        rooms: the pools with their workers.
        replicas: workers by service.
        load: what a new worker does before it serves, with the time, as in "has loaded 65.2 GB, 31 min".

    """
    surging: dict[str, str] = {}
    waiting: dict[str, str] = {}
    for room in rooms:
        for name, reason, surges in _in_pool(room, replicas):
            (surging if surges else waiting)[name] = reason
    recreated = " and ".join(waiting)
    return {
        name: Rollout("RollingUpdate", reason, _while_surging(recreated, load))
        for name, reason in surging.items()
    } | {name: Rollout("Recreate", reason, _while_recreated(load)) for name, reason in waiting.items()}


def _in_pool(room: PoolRoom, replicas: Mapping[str, int]) -> list[tuple[str, str, bool]]:
    decided: list[tuple[str, str, bool]] = []
    running = {some.name: some for some in room.workers(replicas)}
    for some in sorted(running.values(), key=lambda some: -some.gpus):
        others = [other for other in running.values() if other.name != some.name]
        surges = has_room_wherever_placed(some, others, room.room)
        decided.append((some.name, _reason(room, some, surges=surges), surges))
        if surges:
            running[some.name] = WorkerSet(some.name, some.gpus, some.count + 1)
    return decided


def _reason(room: PoolRoom, some: WorkerSet, *, surges: bool) -> str:
    if room.room.one_pod_per_node:
        wanted = "whole node"
        where = " in the workers' NVLink domain" if room.one_nvlink_domain else ""
    else:
        wanted, where = in_words(some.gpus, "GPU"), " on one node"
    if surges:
        free = f"a {wanted}" if room.room.one_pod_per_node else wanted
        return f"{room.pool} has {free} free{where} for the new worker"
    return f"{room.pool} has no {wanted} sure to be free{where} to start a new worker beside the old"


def _while_surging(recreated: str, load: str) -> str:
    if not recreated:
        return f"no interruption: the old worker serves until the new one {load}"
    return (
        f"the new worker starts beside the old, but clients wait for {recreated}: workers of before and "
        "after a change do not serve together"
    )


def _while_recreated(load: str) -> str:
    return f"nothing serves from the moment the old worker stops until the new one {load}"
