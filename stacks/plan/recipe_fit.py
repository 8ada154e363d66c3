"""The recipe for the GPUs of the stack's pools: their family, and how many one worker has."""

from collections.abc import Mapping

from hardware import ArchitectureFamily
from recipes.fitting import fitted, worker_sizes
from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.placement.pools import Pool
from stacks.settings.stack import ServingSettings
from stacks.wording import in_words

_KEY = "serving.gpusPerWorker"


def recipe_for_pools(
    recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool]
) -> tuple[Recipe, tuple[Problem, ...]]:
    """Return the recipe with the values that it has for these GPUs, or why there are none.

    A pool that nobody knows, or whose GPUs the recipe is not for, leaves the recipe as it is: the placement
    says so.
    """
    pair = serving.pools
    names = (serving.pool or "",) if pair is None else (pair.prefill, pair.decode)
    used = [pools[name] for name in names if name in pools]
    families: set[ArchitectureFamily] = {pool.instance_type.accelerator.architecture_family for pool in used}
    if not used or not families <= set(recipe.quantization.architecture_families):
        return recipe, ()
    if len(families) > 1 and recipe.variants:
        return recipe, (_several_families(recipe, families),)
    gpus, problems = _gpus_per_worker(recipe, serving.gpus_per_worker, used[0])
    return (fitted(recipe, families.pop(), gpus) if recipe.variants else recipe), problems


def _gpus_per_worker(
    recipe: Recipe, wanted: int | None, pool: Pool
) -> tuple[int | None, tuple[Problem, ...]]:
    sizes = worker_sizes(recipe)
    if recipe.is_disaggregated:
        if wanted is None:
            return None, ()
        message = f"{recipe.name} has prefill and decode workers, each with GPUs of its own"
        suggestion = "leave it out, or change serving.overrides"
        return None, (Problem(_KEY, wanted, message, suggestion=suggestion),)
    possible = [size for size in sizes if size <= pool.instance_type.gpus]
    # Where none is small enough, the placement names the smallest.
    most = max(possible, default=sizes[0])
    if wanted is None or wanted in possible:
        return wanted or most, ()
    message = f"{recipe.name} cannot be split over {in_words(wanted, 'GPU')}"
    if wanted in sizes:
        message = f"a node of {pool} has {in_words(pool.instance_type.gpus, 'GPU')}"
    allowed = " or ".join(str(size) for size in possible) or None
    return most, (Problem(_KEY, wanted, message, allowed=allowed),)


def _several_families(recipe: Recipe, families: set[ArchitectureFamily]) -> Problem:
    words = " and ".join(sorted(family.capitalize() for family in families))
    message = f"{recipe.name} has other engine values on each of {words}, and its workers must agree"
    return Problem("serving.pools", None, message, suggestion="take pools of one family for both roles")
