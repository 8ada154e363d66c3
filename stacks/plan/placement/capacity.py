"""What each pool has for its workers: what one may ask for, how many replicas there are, whether all fit."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.placement.packing import Room, WorkerSet, nodes_needed, pack
from stacks.plan.placement.pools import WORKERS_SHARE, Assigned, Pool
from stacks.plan.volume_sizes import GIB, gib
from stacks.settings.services import ReplicaSettings
from stacks.settings.stack import ServingSettings
from stacks.wording import all_of, in_words

_KEY = "serving.resources"


@dataclass(frozen=True, slots=True)
class PlacedPool:
    """A node pool and how full this stack makes it."""

    pool: Pool
    room: Room
    free: Mapping[int, int]
    """GPUs of a node that workers leave, with processor time and memory for them -> nodes with so many."""
    used_gpus: int
    """GPUs of all workers in it."""

    @property
    def used_nodes(self) -> int:
        """Nodes with at least one worker."""
        return sum(count for free, count in self.free.items() if free < self.room.gpus_per_node)

    @property
    def exclusive_nodes(self) -> int:
        """Nodes whose free GPUs no other worker of this kind can use."""
        return self.used_nodes if self.room.one_pod_per_node else 0

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
    one_pod: bool
    """The KV cache leaves no pod, and a prefill worker hands it to any decode worker: one pod runs both."""

    def workers(self, replicas: Mapping[str, int]) -> list[WorkerSet]:
        """Return the workers in these numbers, with the GPUs that they occupy."""
        return [WorkerSet(one.name, one.occupied_gpus, replicas[one.name]) for one in self.assigned]

    def placed(self, replicas: Mapping[str, int]) -> PlacedPool | None:
        """Return the pool with so many workers; None when they do not fit."""
        free = self.free(replicas)
        used = sum(one.worker.gpus * replicas[one.name] for one in self.assigned)
        return None if free is None else PlacedPool(self.pool, self.room, free, used)

    def free(self, replicas: Mapping[str, int]) -> Mapping[int, int] | None:
        """Return what so many workers leave free, as `pack` does; None when they do not fit."""
        if self.one_pod and sum(some.count for some in self.workers(replicas)) > 1:
            return None
        return pack(self.workers(replicas), self.room)


def replica_counts(
    recipe: Recipe, serving: ServingSettings, capacities: Sequence[PoolCapacity]
) -> tuple[dict[str, int], tuple[Problem, ...]]:
    """Return the replicas of every service by its name.

    `fill` takes the most sets of workers, in the recipe's proportion, that all pools hold together; the
    frontends stay as the recipe has them.
    """
    published = {pod.name: pod.replicas for pod in recipe.pods}
    if isinstance(serving.replicas, ReplicaSettings):
        wanted = serving.replicas.model_dump(exclude_none=True)
        counts = {pod.name: wanted.get(pod.role, pod.replicas) for pod in recipe.pods}
        return counts, tuple(_unknown_roles(recipe, wanted))
    if idle := tuple(_idle_beside_one_pod(recipe, capacities)):
        return published, idle
    sets = _most_sets(published, capacities)
    if sets == 0:
        pools = " and ".join(str(one.pool) for one in capacities)
        message = f"{pools} cannot hold even one set of the recipe's workers"
        return published, (Problem("serving.replicas", "fill", message),)
    workers = {pod.name: pod.replicas * sets for pod in recipe.pods if pod.gpus}
    return published | workers, ()


def capacity_problems(capacities: Sequence[PoolCapacity], replicas: Mapping[str, int]) -> Iterator[Problem]:
    """Yield which pools cannot hold all of their workers at once."""
    return (_problem(one, replicas) for one in capacities if one.free(replicas) is None)


def resource_problems(
    recipe: Recipe, serving: ServingSettings, assigned: Sequence[Assigned]
) -> Iterator[Problem]:
    """Yield the sizes that are for no worker of the recipe, and those that no node has."""
    roles = [pod.role for pod in recipe.pods if pod.gpus]
    for role in serving.resources.model_dump(exclude_unset=True):
        if role not in roles:
            message = f"{recipe.name} has no {role} workers"
            yield Problem(f"{_KEY}.{role}", None, message, allowed=", ".join(roles))
    for one in assigned:
        yield from _larger_than_a_node(one)


def memory_problems(recipe: Recipe, assigned: Sequence[Assigned]) -> Iterator[Problem]:
    """Yield which workers have too little memory for shared memory, the model's weights and KV cache in it.

    All count against the container's limit: /dev/shm is memory, and a loading process holds weights that it
    has read and not yet given to its GPU.
    """
    for one in assigned:
        # Each worker of a pod loads the model.
        weights = recipe.model.size_bytes / GIB * len(one.worker.processes)
        shared = gib(one.worker.shared_memory or "0Gi")
        cache = sum(each.options.host_cache_bytes for each in one.worker.processes) / GIB
        memory = one.resources.memory_gib
        if shared + weights + cache <= memory:
            continue
        parts = [f"{shared:.0f} GiB of shared memory", f"{weights:.0f} GiB for weights"]
        if cache:
            parts.append(f"{cache:.0f} GiB for KV cache that leaves the GPU")
        needed = math.ceil(shared + weights + cache)
        has_room = needed <= WORKERS_SHARE * one.pool.instance_type.memory_gib
        less = "less KV cache in host memory, or " if cache else ""
        yield Problem(
            f"{_KEY}.{one.worker.role}.memory",
            one.wanted.memory,
            f"{one.name} needs {all_of(parts)}, and has {memory} GiB",
            allowed=f"{needed}Gi or more" if has_room else None,
            suggestion=f"{less}more GPUs for each worker (tensor_parallel_size)",
        )


def _unknown_roles(recipe: Recipe, wanted: Mapping[str, int]) -> Iterator[Problem]:
    roles: list[str] = [pod.role for pod in recipe.pods]
    if recipe.one_pod is not None:
        # They say how many workers the pod runs (recipe_choice).
        roles += [worker.role for worker in recipe.workers]
    for role, count in wanted.items():
        if role not in roles:
            message = f"{recipe.name} has no {role} service"
            yield Problem(f"serving.replicas.{role}", count, message, allowed=", ".join(roles))


def _most_sets(published: Mapping[str, int], capacities: Sequence[PoolCapacity]) -> int:
    """Return the largest multiple of the published workers that fits."""

    def is_too_many(sets: int) -> bool:
        wanted = {name: count * sets for name, count in published.items()}
        return any(one.free(wanted) is None for one in capacities)

    return bisect_left(range(1, max(one.pool.gpus for one in capacities) + 1), True, key=is_too_many)


def _problem(capacity: PoolCapacity, replicas: Mapping[str, int]) -> Problem:
    workers = capacity.workers(replicas)
    wanted = " and ".join(
        f"{some.count} x {some.name} ({_size(one)} each)"
        for some, one in zip(workers, capacity.assigned, strict=True)
    )
    gpus = sum(one.worker.gpus * replicas[one.name] for one in capacity.assigned)
    return Problem(
        "serving.replicas",
        ", ".join(f"{one.worker.role}: {replicas[one.name]}" for one in capacity.assigned),
        f"{capacity.pool} cannot hold {wanted}: {in_words(gpus, 'GPU')} in all, and {_limit(capacity)}",
        suggestion=_suggestion(capacity, nodes_needed(workers, capacity.room)),
    )


def _size(one: Assigned) -> str:
    gpus, asked = in_words(one.worker.gpus, "GPU"), one.resources
    if one.occupied_gpus == one.worker.gpus:
        return gpus
    sizes = f"{asked.cpu_request} CPUs and {asked.memory_gib} GiB"
    return f"{gpus}, {sizes}, which is the share of {in_words(one.occupied_gpus, 'GPU')},"


def _limit(capacity: PoolCapacity) -> str:
    if capacity.one_pod:
        return "over NVLink only the prefill and the decode worker of one pod reach each other"
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
    if capacity.one_pod:
        return "1, and another stack for the next node; or a recipe with pods of their own"
    if capacity.one_nvlink_domain and needed > pool.nvlink_domain_gpus // pool.instance_type.gpus:
        return "fewer replicas: one NVLink domain has no more nodes"
    return f"{in_words(needed, 'node')} in pool {pool.name}, or fewer replicas"


def _idle_beside_one_pod(recipe: Recipe, capacities: Sequence[PoolCapacity]) -> Iterator[Problem]:
    """Yield that more than one set of workers fits into the one pod that a node holds."""
    for one in capacities:
        if not one.one_pod or (sets := one.pool.instance_type.gpus // one.assigned[0].worker.gpus) <= 1:
            continue
        workers = {each.role: sets * each.workers_per_pod for each in recipe.workers}
        fits = ", ".join(f"{role}: {count}" for role, count in workers.items())
        message = "prefill and decode share one pod here, and nothing says how many workers of each it runs"
        yield Problem("serving.replicas", "fill", message, suggestion=f"{{{fits}}}")


def _larger_than_a_node(one: Assigned) -> Iterator[Problem]:
    node, wanted, asked = one.pool.instance_type, one.wanted, one.resources
    key = f"{_KEY}.{one.worker.role}"
    cpus, memory = int(WORKERS_SHARE * node.vcpus), int(WORKERS_SHARE * node.memory_gib)
    if not asked.cpu_request:
        message = f"is missing: the GPUs of a worker come with less than one of the node's {node.vcpus} CPUs"
        yield Problem(f"{key}.cpu", None, message, allowed=f"1 to {cpus}")
    if asked.cpu_request > cpus:
        message = _too_much(one, f"{cpus} of its {node.vcpus} CPUs")
        yield Problem(f"{key}.cpu", wanted.cpu, message, allowed=f"{cpus} or less")
    if asked.memory_gib > memory:
        message = _too_much(one, f"{memory} of its {node.memory_gib} GiB")
        yield Problem(f"{key}.memory", wanted.memory, message, allowed=f"{memory}Gi or less")


def _too_much(one: Assigned, part: str) -> str:
    return f"a node of {one.pool} has {part} for workers; the rest is for system and daemon sets"
