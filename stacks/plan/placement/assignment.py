"""Which node pool each worker of a recipe runs in, and whether its nodes can run it at all."""

from collections.abc import Mapping
from dataclasses import dataclass

from recipes.model import Recipe, ServiceRecipe
from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.plan.placement.pools import Pool
from stacks.settings.stack import ServingSettings
from stacks.wording import in_words


@dataclass(frozen=True, slots=True)
class Assigned:
    """A worker service and the pool it runs in."""

    worker: ServiceRecipe
    pool: Pool
    key: str
    """The setting that names the pool."""


def assign_pools(
    recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool]
) -> tuple[tuple[Assigned, ...], tuple[Problem, ...]]:
    """Return every worker with its pool, or why one has none that can run it."""
    problems = _wrongly_split(recipe, serving, pools)
    if problems:
        return (), problems
    assigned: list[Assigned] = []
    unknown: dict[str, Problem] = {}
    for worker in recipe.workers:
        key, name = _pool_setting(worker, serving)
        if name in pools:
            assigned.append(Assigned(worker, pools[name], key))
        else:
            unknown[key] = Problem(
                key,
                name,
                "no node pool has this name",
                allowed=", ".join(pools),
                suggestion=nearest(name, pools),
            )
    found = (*unknown.values(), *(problem for one in assigned for problem in _unfit(recipe, one)))
    return (() if found else tuple(assigned)), found


def _wrongly_split(
    recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool]
) -> tuple[Problem, ...]:
    names = ", ".join(pools)
    if not recipe.is_disaggregated:
        if serving.pools is not None:
            message = f"{recipe.name} has no prefill and decode workers: its KV cache never leaves the worker"
            return (Problem("serving.pools", None, message, suggestion="name one pool with `pool`"),)
        if serving.pool is None:
            message = "name the pool that the workers run in"
            return (Problem("serving.pool", None, message, allowed=names),)
        return ()
    if (serving.pool is None) == (serving.pools is None):
        message = "name one pool for all workers with `pool`, or one for each role with `pools`; not both"
        return (Problem("serving.pool", serving.pool, message, allowed=names),)
    return ()


def _pool_setting(worker: ServiceRecipe, serving: ServingSettings) -> tuple[str, str]:
    if serving.pools is None:
        return "serving.pool", serving.pool or ""
    name = serving.pools.prefill if worker.role == "prefill" else serving.pools.decode
    return f"serving.pools.{worker.role}", name


def _unfit(recipe: Recipe, assigned: Assigned) -> list[Problem]:
    worker, pool = assigned.worker, assigned.pool
    accelerator = pool.instance_type.accelerator
    families = recipe.quantization.architecture_families
    problems: list[Problem] = []
    if accelerator.architecture_family not in families:
        needed = recipe.quantization.algorithm or f"what {recipe.name} asks of the engine"
        problems.append(
            Problem(
                assigned.key,
                pool.name,
                f"{worker.service_name} uses {needed}, which {accelerator.name} "
                f"({accelerator.architecture_family}) has no kernels for",
                allowed=f"a pool of {' or '.join(family.capitalize() for family in families)} GPUs",
            )
        )
    if worker.gpus > pool.instance_type.gpus:
        wanted = in_words(worker.gpus, "GPU")
        problems.append(
            Problem(
                assigned.key,
                pool.name,
                f"{worker.service_name} needs {wanted} on one node; a node of {pool} has "
                f"{pool.instance_type.gpus}",
                allowed=f"a pool whose nodes have {wanted} or more",
            )
        )
    return problems
