"""How many replicas of each service there are."""

from collections.abc import Mapping, Sequence

from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.placement.capacity import PoolRoom
from stacks.settings.stack import ReplicaSettings, ServingSettings


def replica_counts(
    recipe: Recipe, serving: ServingSettings, rooms: Sequence[PoolRoom]
) -> tuple[dict[str, int], tuple[Problem, ...]]:
    """Return the replicas of every service by its name.

    `fill` takes the most sets of workers, in the recipe's proportion, that all pools hold together; the
    frontends stay as the recipe has them.
    """
    published = {service.service_name: service.replicas for service in recipe.services}
    if isinstance(serving.replicas, ReplicaSettings):
        typed = serving.replicas.model_dump(exclude_none=True)
        problems = _unknown_roles(recipe, typed)
        return {
            service.service_name: typed.get(service.role, service.replicas) for service in recipe.services
        }, problems
    sets = _most_sets(published, rooms)
    if sets == 0:
        pools = " and ".join(str(room.pool) for room in rooms)
        message = f"{pools} cannot hold even one set of the recipe's workers"
        return published, (Problem("serving.replicas", "fill", message),)
    return published | {worker.service_name: worker.replicas * sets for worker in recipe.workers}, ()


def _unknown_roles(recipe: Recipe, typed: Mapping[str, int]) -> tuple[Problem, ...]:
    roles = [service.role for service in recipe.services]
    return tuple(
        Problem(
            f"serving.replicas.{role}",
            count,
            f"{recipe.name} has no {role} service",
            allowed=", ".join(roles),
        )
        for role, count in typed.items()
        if role not in roles
    )


def _most_sets(published: Mapping[str, int], rooms: Sequence[PoolRoom]) -> int:
    """Return the largest multiple of the published workers that fits, by bisection."""
    low, high = 0, max(room.pool.gpus for room in rooms)
    while low < high:
        middle = (low + high + 1) // 2
        wanted = {name: count * middle for name, count in published.items()}
        if all(room.packed(wanted) is not None for room in rooms):
            low = middle
        else:
            high = middle - 1
    return low
