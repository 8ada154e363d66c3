"""What each pool has for its workers, how many replicas that allows, and whether they fit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.placement.packing import Packing, Room, WorkerSet, nodes_needed, pack
from stacks.plan.placement.pools import Assigned, Pool
from stacks.settings.stack import ReplicaSettings, ServingSettings
from stacks.wording import in_words


@dataclass(frozen=True, slots=True)
class PlacedPool:
    """A node pool and how full this stack makes it."""

    pool: Pool
    packing: Packing

    @property
    def used_gpus(self) -> int:
        """GPUs of all workers in it."""
        return self.packing.used_gpus

    @property
    def free_gpus(self) -> int:
        """GPUs that this stack leaves free."""
        return self.pool.gpus - self.used_gpus


@dataclass(frozen=True, slots=True)
class PoolCapacity:
    """One pool, and the workers that share it."""

    pool: Pool
    room: Room
    assigned: tuple[Assigned, ...]
    one_nvlink_domain: bool
    """All of them must be in one NVLink domain; the room is no larger."""

    def workers(self, replicas: Mapping[str, int]) -> list[WorkerSet]:
        """Return the workers in these numbers."""
        return [
            WorkerSet(one.worker.service_name, one.worker.gpus, replicas[one.worker.service_name])
            for one in self.assigned
        ]

    def packed(self, replicas: Mapping[str, int]) -> Packing | None:
        """Return how full the pool is with so many workers; None when they do not fit."""
        return pack(self.workers(replicas), self.room)


def replica_counts(
    recipe: Recipe, serving: ServingSettings, capacities: Sequence[PoolCapacity]
) -> tuple[dict[str, int], tuple[Problem, ...]]:
    """Return the replicas of every service by its name.

    `fill` takes the most sets of workers, in the recipe's proportion, that all pools hold together; the
    frontends stay as the recipe has them.
    """
    published = {service.service_name: service.replicas for service in recipe.services}
    if isinstance(serving.replicas, ReplicaSettings):
        wanted = serving.replicas.model_dump(exclude_none=True)
        counts = {
            service.service_name: wanted.get(service.role, service.replicas) for service in recipe.services
        }
        return counts, tuple(_unknown_roles(recipe, wanted))
    sets = _most_sets(published, capacities)
    if sets == 0:
        pools = " and ".join(str(one.pool) for one in capacities)
        message = f"{pools} cannot hold even one set of the recipe's workers"
        return published, (Problem("serving.replicas", "fill", message),)
    return published | {worker.service_name: worker.replicas * sets for worker in recipe.workers}, ()


def capacity_problems(capacities: Sequence[PoolCapacity], replicas: Mapping[str, int]) -> Iterator[Problem]:
    """Yield which pools cannot hold all of their workers at once."""
    return (_problem(one, replicas) for one in capacities if one.packed(replicas) is None)


def _unknown_roles(recipe: Recipe, wanted: Mapping[str, int]) -> Iterator[Problem]:
    roles = [service.role for service in recipe.services]
    for role, count in wanted.items():
        if role not in roles:
            message = f"{recipe.name} has no {role} service"
            yield Problem(f"serving.replicas.{role}", count, message, allowed=", ".join(roles))


def _most_sets(published: Mapping[str, int], capacities: Sequence[PoolCapacity]) -> int:
    """Return the largest multiple of the published workers that fits, by bisection."""
    low, high = 0, max(one.pool.gpus for one in capacities)
    while low < high:
        middle = (low + high + 1) // 2
        wanted = {name: count * middle for name, count in published.items()}
        if all(one.packed(wanted) is not None for one in capacities):
            low = middle
        else:
            high = middle - 1
    return low


def _problem(capacity: PoolCapacity, replicas: Mapping[str, int]) -> Problem:
    workers = capacity.workers(replicas)
    wanted = " and ".join(
        f"{some.count} x {some.name} ({in_words(some.gpus, 'GPU')} each)" for some in workers
    )
    gpus = sum(some.gpus * some.count for some in workers)
    return Problem(
        "serving.replicas",
        ", ".join(f"{one.worker.role}: {replicas[one.worker.service_name]}" for one in capacity.assigned),
        f"{capacity.pool} cannot hold {wanted}: {in_words(gpus, 'GPU')} in all, and {_limit(capacity)}",
        suggestion=_suggestion(capacity, nodes_needed(workers, capacity.room)),
    )


def _limit(capacity: PoolCapacity) -> str:
    if capacity.room.one_pod_per_node:
        limit = "with this KV transport each takes a whole node"
    elif capacity.room.different_nodes:
        limit = "with this KV transport prefill and decode share no node"
    else:
        limit = "no worker may span nodes"
    if capacity.room.nodes < capacity.pool.nodes:
        limit += f"; {capacity.room.nodes} nodes are one NVLink domain, which all workers must be in"
    return limit


def _suggestion(capacity: PoolCapacity, needed: int) -> str:
    pool = capacity.pool
    if capacity.one_nvlink_domain and needed > pool.nvlink_domain_gpus // pool.instance_type.gpus:
        return "fewer replicas: one NVLink domain has no more nodes"
    return f"{in_words(needed, 'node')} in pool {pool.name}, or fewer replicas"
