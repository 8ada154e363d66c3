"""Where each service of a recipe runs: pool, transport, replicas, selectors, sizes, rollout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hardware import GPU_RESOURCE
from recipes.model import Recipe
from recipes.placed import (
    CacheNodes,
    KvTransport,
    PlacedRecipe,
    PlacedService,
    PodResources,
    PoolPlacement,
    Rollout,
    Toleration,
)
from stacks.errors import Problem
from stacks.plan.placement.capacity import PlacedPool, PoolCapacity, capacity_problems, replica_counts
from stacks.plan.placement.kv_transport import (
    buffer_problems,
    choose_transport,
    image_problems,
    network_devices,
    room_for_workers,
)
from stacks.plan.placement.packing import Packing, Room
from stacks.plan.placement.pools import ARCHITECTURE_LABEL, Assigned, Pool, assign_pools
from stacks.plan.placement.resources import (
    frontend_resources,
    memory_problems,
    resource_problems,
    worker_resources,
)
from stacks.plan.placement.rollout import rollouts
from stacks.settings.platform import namespace_name
from stacks.settings.stack import ServingSettings, StackSettings


@dataclass(frozen=True, slots=True)
class Placed:
    """Every service with its place."""

    services: tuple[PlacedService, ...]
    kv_transport: KvTransport | None
    """Transport of the KV cache; None for an aggregated recipe."""
    pools: tuple[PlacedPool, ...]


def place_services(
    recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool], load: str
) -> tuple[Placed | None, tuple[Problem, ...]]:
    """Return every service with its place, or all problems that keep them from having one.

    Args:
        recipe: with the stack's overrides.
        serving: of the stack.
        pools: the known pools by name.
        load: what a worker does before it serves, with the time, for the sentences on rollouts.

    """
    assigned, problems = assign_pools(recipe, serving, pools)
    if problems:
        return None, problems
    if problems := tuple(resource_problems(recipe, serving, assigned)):
        return None, problems
    transport, problems = choose_transport(recipe, serving, assigned)
    resources = {one.worker.service_name: worker_resources(one, serving) for one in assigned}
    capacities = _capacities(assigned, resources, transport)
    replicas, replica_problems = replica_counts(recipe, serving, capacities)
    problems += (
        *replica_problems,
        *memory_problems(recipe, serving, assigned),
        *buffer_problems(recipe, assigned, transport),
        *image_problems(assigned, transport),
        *(() if replica_problems else capacity_problems(capacities, replicas)),
    )
    if problems:
        return None, problems
    strategies = rollouts(capacities, replicas, load)
    by_name = {one.worker.service_name: one for one in assigned}
    services = tuple(
        _worker(by_name[name], replicas[name], resources[name], strategies[name], transport)
        if (name := pod.service_name) in by_name
        else PlacedService(pod, replicas[name], None, frontend_resources(pod))
        for pod in recipe.pods
    )
    used = {one.pool.name: one.placed(replicas) for one in capacities}
    placed_pools = tuple(used.get(pool.name) or _empty(pool) for pool in pools.values())
    return Placed(services, transport, placed_pools), ()


def placed_recipe(
    recipe: Recipe,
    settings: StackSettings,
    placed: Placed,
    cache_claim_name: str,
    cache_nodes: CacheNodes | None,
    *,
    instance: str,
) -> PlacedRecipe:
    """Return what the graph is written from.

    Args:
        recipe: with the stack's overrides.
        settings: of the stack.
        placed: its services.
        cache_claim_name: of the model's volume.
        cache_nodes: those that alone have the model; None: all have.
        instance: name of the stack, by which pods are labelled.

    """
    return PlacedRecipe(
        # A benchmark, its points and the limits of the alerts are of the replicas that serve.
        recipe=recipe.with_replicas({each.name: each.replicas for each in placed.services}),
        graph_name=settings.serving.name or recipe.graph_name,
        namespace=namespace_name(settings.serving.namespace),
        services=placed.services,
        cache_claim_name=cache_claim_name,
        cache_nodes=cache_nodes,
        kv_transport=placed.kv_transport,
        image_mirrors=dict(settings.image_mirrors),
        instance=instance,
    )


def _capacities(
    assigned: Sequence[Assigned], resources: Mapping[str, PodResources], transport: KvTransport | None
) -> tuple[PoolCapacity, ...]:
    pools = {one.pool.name: one.pool for one in assigned}
    return tuple(
        PoolCapacity(
            pool,
            room_for_workers(pool, transport),
            tuple(one for one in assigned if one.pool.name == name),
            resources,
            one_nvlink_domain=transport is not None and transport.paths[name].same_clique,
            one_pod=transport is not None and transport.paths[name].ends_at_pod,
        )
        for name, pool in pools.items()
    )


def _empty(pool: Pool) -> PlacedPool:
    gpus = pool.instance_type.gpus
    return PlacedPool(pool, Packing(Room(pool.nodes, gpus), {gpus: pool.nodes}), used_gpus=0)


def _worker(
    assigned: Assigned,
    replicas: int,
    resources: PodResources,
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
    return PlacedService(assigned.worker, replicas, placement, resources)


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
