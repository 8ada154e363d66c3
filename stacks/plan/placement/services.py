"""Where each service of a recipe runs: pool, transport, replicas, selectors, sizes, rollout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hardware import GPU_RESOURCE
from recipes.model import Recipe
from recipes.placed import (
    KvTransport,
    PlacedService,
    PoolPlacement,
    Rollout,
    Toleration,
)
from stacks.errors import Problem
from stacks.plan.placement.capacity import (
    PlacedPool,
    PoolCapacity,
    capacity_problems,
    memory_problems,
    replica_counts,
    resource_problems,
)
from stacks.plan.placement.kv_transport import (
    choose_transport,
    network_devices,
    room_for_workers,
    transport_problems,
)
from stacks.plan.placement.packing import Room
from stacks.plan.placement.pools import ARCHITECTURE_LABEL, Assigned, Pool, assign_pools
from stacks.plan.placement.rollout import rollouts
from stacks.plan.timeouts import Load, load_of
from stacks.settings.stack import StackSettings


@dataclass(frozen=True, slots=True)
class Placed:
    """Every service with its place."""

    services: tuple[PlacedService, ...]
    kv_transport: KvTransport | None
    """Transport of the KV cache; None for an aggregated recipe."""
    pools: tuple[PlacedPool, ...]
    load: Load
    """What a new worker does before it serves, and for how long."""


def place_services(
    recipe: Recipe, settings: StackSettings, pools: Mapping[str, Pool]
) -> tuple[Placed | None, tuple[Problem, ...]]:
    """Return every service with its place, or all problems that keep them from having one.

    Args:
        recipe: with the stack's overrides.
        settings: of the stack.
        pools: the known pools by name.

    """
    serving, cache = settings.serving, settings.model_cache
    assigned, problems = assign_pools(recipe, serving, pools)
    if problems:
        return None, problems
    if problems := tuple(resource_problems(recipe, serving, assigned)):
        return None, problems
    transport, problems = choose_transport(recipe, serving, assigned)
    capacities = _capacities(assigned, transport)
    replicas, replica_problems = replica_counts(recipe, serving, capacities)
    problems += (
        *replica_problems,
        *memory_problems(recipe, assigned),
        *(transport_problems(recipe, assigned, transport) if transport else ()),
        *(() if replica_problems else capacity_problems(capacities, replicas)),
    )
    if problems:
        return None, problems
    load = load_of(recipe.download_bytes, cache.read_megabytes_per_second if cache else None)
    strategies = rollouts(capacities, replicas, load.words)
    by_name = {one.name: one for one in assigned}
    services = tuple(
        # Frontends alone have sizes in the recipe, and no pool.
        PlacedService(pod.name, pod.role, replicas[pod.name], pod.processes, None, sizes)
        if (sizes := pod.processes[0].resources)
        else _worker(by_name[pod.name], replicas[pod.name], strategies[pod.name], transport)
        for pod in recipe.pods
    )
    used = {one.pool.name: one.placed(replicas) for one in capacities}
    placed_pools = tuple(used.get(pool.name) or _empty(pool) for pool in pools.values())
    return Placed(services, transport, placed_pools, load), ()


def _capacities(assigned: Sequence[Assigned], transport: KvTransport | None) -> tuple[PoolCapacity, ...]:
    pools = {one.pool.name: one.pool for one in assigned}
    return tuple(
        PoolCapacity(
            pool,
            room_for_workers(pool, transport),
            tuple(one for one in assigned if one.pool.name == name),
            one_nvlink_domain=transport is not None and transport.paths[name].same_clique,
            one_pod=transport is not None and transport.paths[name].ends_at_pod,
        )
        for name, pool in pools.items()
    )


def _empty(pool: Pool) -> PlacedPool:
    gpus = pool.instance_type.gpus
    return PlacedPool(pool, Room(pool.nodes, gpus), {gpus: pool.nodes}, used_gpus=0)


def _worker(
    assigned: Assigned,
    replicas: int,
    rollout: Rollout,
    transport: KvTransport | None,
) -> PlacedService:
    pool = assigned.pool
    placement = PoolPlacement(
        pool=pool.name,
        instance_type=pool.instance_type,
        node_selector=pool.node_selector,
        tolerations=_tolerations(pool),
        rollout=rollout,
        extended_resources=network_devices(transport, assigned),
        rdma_fabric=pool.rdma.fabric if pool.rdma else None,
    )
    pod = assigned.worker
    return PlacedService(pod.name, pod.role, replicas, pod.processes, placement, assigned.resources)


def _tolerations(pool: Pool) -> tuple[Toleration, ...]:
    gpu = Toleration(key=GPU_RESOURCE, operator="Exists", effect="NoSchedule")
    found = [gpu]
    if pool.instance_type.cpu_architecture == "arm64":
        # Some clusters taint every arm64 node, because most images have no arm64 build.
        found.append(Toleration(key=ARCHITECTURE_LABEL, operator="Equal", effect="NoSchedule", value="arm64"))
    for taint in pool.taints or ():
        own = Toleration(taint.key, "Equal" if taint.value else "Exists", taint.effect, taint.value or None)
        if own not in found and (taint.key, taint.effect) != (gpu.key, gpu.effect):
            found.append(own)
    return tuple(found)
