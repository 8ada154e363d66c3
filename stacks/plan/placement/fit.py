"""Whether node pools can hold the workers that they were given."""

from collections.abc import Mapping, Sequence

from stacks.errors import Problem
from stacks.plan.placement.capacity import PoolRoom
from stacks.plan.placement.packing import nodes_needed
from stacks.wording import in_words


def pool_problems(rooms: Sequence[PoolRoom], replicas: Mapping[str, int]) -> tuple[Problem, ...]:
    """Return which pools cannot hold all of their workers at once."""
    return tuple(_problem(room, replicas) for room in rooms if room.packed(replicas) is None)


def _problem(room: PoolRoom, replicas: Mapping[str, int]) -> Problem:
    workers = room.workers(replicas)
    wanted = " and ".join(
        f"{some.count} x {some.name} ({in_words(some.gpus, 'GPU')} each)" for some in workers
    )
    gpus = sum(some.gpus * some.count for some in workers)
    return Problem(
        "serving.replicas",
        ", ".join(f"{one.worker.role}: {replicas[one.worker.service_name]}" for one in room.assigned),
        f"{room.pool} cannot hold {wanted}: {in_words(gpus, 'GPU')} in all, and {_limit(room)}",
        suggestion=_suggestion(room, nodes_needed(workers, room.room)),
    )


def _limit(room: PoolRoom) -> str:
    if room.room.one_pod_per_node:
        limit = "with this KV transport each takes a whole node"
    elif room.room.different_nodes:
        limit = "with this KV transport prefill and decode share no node"
    else:
        limit = "no worker may span nodes"
    if room.room.nodes < room.pool.nodes:
        limit += f"; {room.room.nodes} nodes are one NVLink domain, which all workers must be in"
    return limit


def _suggestion(room: PoolRoom, needed: int) -> str:
    pool = room.pool
    if room.one_nvlink_domain and needed > pool.nvlink_domain_gpus // pool.instance_type.gpus:
        return "fewer replicas: one NVLink domain has no more nodes"
    return f"{in_words(needed, 'node')} in pool {pool.name}, or fewer replicas"
