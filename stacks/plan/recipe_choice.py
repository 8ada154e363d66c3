"""The recipe that a stack serves: for its pools' GPUs, with everything in it that the stack changes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ValidationError

from engines.command_line import split_options
from engines.engine import WorkerRole
from engines.release import line_name
from hardware import ArchitectureFamily
from recipes.consistency import contradictions
from recipes.fitting import fitted, worker_sizes
from recipes.model import Recipe
from recipes.services import Role, dotted_options
from stacks.errors import Problem
from stacks.plan.placement.pools import Pool
from stacks.plan.recipe_files import known_recipes, read_recipe, sound_recipes, unknown_recipe
from stacks.plan.service_changes import OVERRIDES, ServiceChange, overridden, refused_changes, with_changes
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.settings.explain_validation import problems_of
from stacks.settings.services import EngineKeys, EngineOverrides, ReplicaSettings
from stacks.settings.stack import ServingSettings, StackSettings
from stacks.wording import in_words

_ROLES: tuple[Role, ...] = ("frontend", "prefill", "decode", "worker")


def chosen_recipe(
    settings: StackSettings, pools: Mapping[str, Pool], directory: Path
) -> tuple[Recipe | None, tuple[Problem, ...]]:
    """Return the recipe as this stack serves it on these pools; `directory` is that of the stack's file.

    Overrides that the recipe cannot be served with leave it as published, next to their problems, so that
    everything else can still be judged.

    Raises:
        SettingsError: the recipe's file cannot be used.

    """
    name, typed = settings.serving.recipe, settings.serving.recipe_folder
    folder = directory / typed if typed is not None else None
    if folder and not folder.is_dir():
        message = f"there is no such folder in {directory.resolve()}"
        return None, (Problem("serving.recipeFolder", typed, message),)
    if name not in known_recipes(folder):
        return None, (unknown_recipe("serving.recipe", name, folder),)
    recipe = _on_its_platform(read_recipe(name, folder), settings)
    if settings.model.revision is not None:
        model = recipe.model.model_copy(update={"revision": settings.model.revision})
        recipe = recipe.model_copy(update={"model": model})
    recipe, problems = recipe_for_pools(recipe, settings.serving, pools)
    overrides, mistakes = _read(settings.serving.overrides, recipe)
    problems = (*problems, *mistakes)
    if overrides and not problems:
        recipe, problems = overridden(recipe, overrides)
    wanted, made = settings.serving.gpus_per_worker, recipe.workers[0].gpus
    if wanted is not None and not problems and made != wanted:
        message = f"serving.overrides make a worker of {in_words(made, 'GPU')}"
        hint = f"{made}, or overrides that leave the parallelism to it"
        problems = (Problem(_GPUS_PER_WORKER, wanted, message, allowed=str(made), suggestion=hint),)
    if recipe.one_pod is not None:
        recipe = recipe.with_workers_per_pod(_workers_of_a_pod(settings.serving.replicas))
    recipe, refused = with_service_changes(recipe, settings.serving)
    return recipe, (*problems, *refused)


def aggregated_recipes_like(recipe: Recipe) -> tuple[str, ...]:
    """Return the recipes that serve the same model with the same engine and transfer no KV cache."""
    return tuple(
        other.name
        for other in sound_recipes()
        if other.server == recipe.server
        and other.framework == recipe.framework
        and not other.is_disaggregated
        and other.model.repository == recipe.model.repository
    )


_GPUS_PER_WORKER = "serving.gpusPerWorker"


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


def _on_its_platform(recipe: Recipe, settings: StackSettings) -> Recipe:
    """Return the recipe with the image of the stack's platform; as it is where it does not stand there."""
    version = settings.platform.version if settings.platform else ""
    if version not in PLATFORM_RELEASES or line_name(version) not in recipe.runtime.platform_lines:
        return recipe
    return recipe.on_line(line_name(version))


def _workers_of_a_pod(replicas: ReplicaSettings | str) -> dict[WorkerRole, int]:
    """Return how many prefill and decode workers a stack wants in the pod that they share."""
    if not isinstance(replicas, ReplicaSettings):
        return {}
    wanted: dict[WorkerRole, int | None] = {"prefill": replicas.prefill, "decode": replicas.decode}
    return {role: count for role, count in wanted.items() if count is not None}


def _read(overrides: EngineOverrides, recipe: Recipe) -> tuple[dict[Role, BaseModel], tuple[Problem, ...]]:
    """Return the overrides by role as settings of the recipe's engine, and what is wrong with them."""
    typed = recipe.serving_engine.settings
    found: dict[Role, BaseModel] = {}
    problems: list[Problem] = []
    for role in _ROLES:
        options: EngineKeys | None = getattr(overrides, role, None)
        if options is None:
            continue
        try:
            # As JSON, because pydantic's strict mode takes a list for a tuple only there.
            found[role] = typed.model_validate_json(json.dumps(options))
        except ValidationError as error:
            for problem in problems_of(error, typed):
                key = f"{OVERRIDES}.{role}.{problem.key}".removesuffix(".")
                problems.append(replace(problem, key=key))
            continue
        decided = recipe.serving_engine.transport_option
        if (typed_backend := dict(dotted_options(options)).get(decided)) is not None:
            message = "serving.kvTransport decides it, and would write over it"
            hint = "leave it out, and type serving.kvTransport"
            problems.append(Problem(f"{OVERRIDES}.{role}.{decided}", typed_backend, message, suggestion=hint))
    return found, tuple(problems)


def _gpus_per_worker(
    recipe: Recipe, wanted: int | None, pool: Pool
) -> tuple[int | None, tuple[Problem, ...]]:
    sizes = worker_sizes(recipe)
    if recipe.is_disaggregated:
        if wanted is None:
            return None, ()
        message = f"{recipe.name} has prefill and decode workers, each with GPUs of its own"
        suggestion = "leave it out, or change serving.overrides"
        return None, (Problem(_GPUS_PER_WORKER, wanted, message, suggestion=suggestion),)
    possible = [size for size in sizes if size <= pool.instance_type.gpus]
    # Where none is small enough, the placement names the smallest.
    most = max(possible, default=sizes[0])
    if wanted is None or wanted in possible:
        return wanted or most, ()
    message = f"{recipe.name} cannot be split over {in_words(wanted, 'GPU')}"
    if wanted in sizes:
        message = f"a node of {pool} has {in_words(pool.instance_type.gpus, 'GPU')}"
    allowed = " or ".join(str(size) for size in possible) or None
    return most, (Problem(_GPUS_PER_WORKER, wanted, message, allowed=allowed),)


def _several_families(recipe: Recipe, families: set[ArchitectureFamily]) -> Problem:
    words = " and ".join(sorted(family.capitalize() for family in families))
    message = f"{recipe.name} has other engine values on each of {words}, and its workers must agree"
    return Problem("serving.pools", None, message, suggestion="take pools of one family for both roles")


def with_service_changes(recipe: Recipe, serving: ServingSettings) -> tuple[Recipe, tuple[Problem, ...]]:
    """Return the recipe as the stack changes it, or as it is beside the reasons why it cannot be so."""
    changes: dict[Role, ServiceChange] = {
        role: change for role in _ROLES if (change := _change(serving, role)) != ServiceChange()
    }
    if not changes:
        return recipe, ()
    refusals = tuple(refused_changes(recipe, changes))
    if refusals:
        return recipe, refusals
    changed = with_changes(recipe, changes)
    found = contradictions(changed)
    if found:
        return recipe, tuple(Problem("serving.arguments", None, text) for text in found)
    return changed, ()


def typed_settings(serving: ServingSettings) -> Iterator[tuple[Role, str, str]]:
    """Yield what is typed over a recipe; a setting that is left out decides nothing.

    Each with the role of the service that it changes; its path in the settings, such as
    serving.overrides.decode.max_batch_size; and what it decides: the engine option, as in an engine file, the
    variable, or `image`.
    """
    for role in _ROLES:
        change = _change(serving, role)
        for option, _ in dotted_options(getattr(serving.overrides, role, None) or {}):
            yield role, f"serving.overrides.{role}.{option}", option
        for flag, _ in split_options(change.arguments):
            option = flag.lstrip("-").removeprefix("no-").replace("-", "_")
            yield role, f"serving.arguments.{role}", option
        for variable in change.environment:
            yield role, f"serving.environment.{role}.{variable}", variable
        if change.image_version is not None:
            yield role, f"serving.imageVersions.{role}", "image"
        if change.router_mode is not None:
            yield role, "serving.routerMode", "router_mode"
        # Only a recipe with one kind of worker takes it.
        if role == "worker" and serving.gpus_per_worker is not None:
            yield role, "serving.gpusPerWorker", "tensor_parallel_size"


def _change(serving: ServingSettings, role: Role) -> ServiceChange:
    return ServiceChange(
        environment=getattr(serving.environment, role) or {},
        arguments=getattr(serving.arguments, role) or (),
        image_version=getattr(serving.image_versions, role),
        router_mode=serving.router_mode if role == "frontend" else None,
    )
