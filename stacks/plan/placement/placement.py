"""Where each service of a recipe runs: pool, transport, replicas, selectors, sizes, rollout."""

from collections.abc import Mapping
from dataclasses import dataclass

from recipes.model import Recipe, ServiceRecipe
from recipes.placed import PlacedService, PodResources, PoolPlacement, Rollout, Toleration
from stacks.errors import Problem
from stacks.plan.placement.assignment import Assigned, assign_pools
from stacks.plan.placement.capacity import pool_rooms
from stacks.plan.placement.fit import pool_problems
from stacks.plan.placement.kv_transport import TransportChoice, choose_transport, extended_resources
from stacks.plan.placement.packing import Packing
from stacks.plan.placement.pools import ARCHITECTURE_LABEL, Pool
from stacks.plan.placement.replicas import replica_counts
from stacks.plan.placement.resources import frontend_resources, memory_problems, worker_resources
from stacks.plan.placement.rollout import rollouts
from stacks.plan.placement.transfer_buffers import buffer_problems
from stacks.settings.stack import ServingSettings


@dataclass(frozen=True, slots=True)
class Placed:
    """Every service with its place."""

    services: tuple[PlacedService, ...]
    transport: TransportChoice | None
    """None for an aggregated recipe."""
    packings: Mapping[str, Packing]
    """Pool -> how full it is; pools without workers left out."""


def place_services(
    recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool], load: str, source: str
) -> tuple[Placed | None, tuple[Problem, ...]]:
    """Return every service with its place, or all problems that keep them from having one.

    Args:
        recipe: with the stack's overrides.
        serving: what was typed.
        pools: the known pools by name.
        load: what a worker does before it serves, with the time, for the sentences on rollouts.
        source: the file in which a transport was typed, for the sentence on it.

    """
    assigned, problems = assign_pools(recipe, serving, pools)
    if problems:
        return None, problems
    choice, problems = choose_transport(recipe, serving, assigned, source)
    rooms = pool_rooms(assigned, choice)
    replicas, replica_problems = replica_counts(recipe, serving, rooms)
    overridden = tuple(serving.overrides.model_dump(exclude_none=True))
    problems += (
        *replica_problems,
        *memory_problems(recipe, assigned, overridden),
        *buffer_problems(recipe, assigned, choice),
        *(() if replica_problems else pool_problems(rooms, replicas)),
    )
    if problems:
        return None, problems
    strategies = rollouts(rooms, replicas, load)
    placements = {
        one.worker.service_name: _placement(one, strategies[one.worker.service_name], choice)
        for one in assigned
    }
    sizes = {one.worker.service_name: worker_resources(one) for one in assigned}
    services = tuple(_service(service, replicas, placements, sizes) for service in recipe.services)
    packings = {room.pool.name: packing for room in rooms if (packing := room.packed(replicas))}
    return Placed(services, choice, packings), ()


def _service(
    service: ServiceRecipe,
    replicas: Mapping[str, int],
    placements: Mapping[str, PoolPlacement],
    sizes: Mapping[str, PodResources],
) -> PlacedService:
    name = service.service_name
    resources = sizes[name] if name in sizes else frontend_resources(service)
    return PlacedService(service, replicas[name], placements.get(name), resources)


def _placement(assigned: Assigned, rollout: Rollout, choice: TransportChoice | None) -> PoolPlacement:
    pool = assigned.pool
    return PoolPlacement(
        pool=pool.name,
        instance_type=pool.instance_type.name,
        nodes=pool.nodes,
        node_selector=pool.node_selector,
        tolerations=_tolerations(pool),
        rollout=rollout,
        extended_resources=extended_resources(choice, assigned),
        rdma_fabric=pool.rdma.fabric if pool.rdma else None,
    )


def _tolerations(pool: Pool) -> tuple[Toleration, ...]:
    gpu = Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")
    if pool.instance_type.cpu_architecture == "amd64":
        return (gpu,)
    # Some clusters taint every arm64 node, because most images have no arm64 build.
    arm = Toleration(key=ARCHITECTURE_LABEL, operator="Equal", effect="NoSchedule", value="arm64")
    return (gpu, arm)
