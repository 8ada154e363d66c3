"""The recipe that a stack serves, with the stack's revision and overrides in it."""

from collections.abc import Iterator, Mapping
from typing import cast

from recipes.load import load_recipe, recipe_names
from recipes.model import Recipe, Role
from recipes.overrides import OverrideError, overridden
from recipes.tensorrt_llm import EngineSettings
from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.settings.stack import EngineOverrides, StackSettings

_KEY = "serving.overrides"


def chosen_recipe(settings: StackSettings) -> tuple[Recipe | None, tuple[Problem, ...]]:
    """Return the recipe as this stack serves it.

    Overrides that the recipe cannot be served with leave it as published, next to their problems, so that
    everything else can still be judged.
    """
    name = settings.serving.recipe
    if name not in recipe_names():
        problem = Problem(
            "serving.recipe",
            name,
            "no recipe has this name",
            allowed=", ".join(recipe_names()),
            suggestion=nearest(name, recipe_names()),
        )
        return None, (problem,)
    recipe = load_recipe(name)
    if settings.model.revision is not None:
        model = recipe.model.model_copy(update={"revision": settings.model.revision})
        recipe = recipe.model_copy(update={"model": model})
    overrides = _by_role(settings.serving.overrides)
    if not overrides:
        return recipe, ()
    try:
        return overridden(recipe, overrides), ()
    except OverrideError as error:
        return recipe, tuple(_problem(error.role, text, overrides) for text in error.messages)


def aggregated_recipes_like(recipe: Recipe) -> tuple[str, ...]:
    """Return the recipes that serve the same model without transferring its KV cache."""
    others = (load_recipe(name) for name in recipe_names())
    return tuple(
        other.name
        for other in others
        if not other.is_disaggregated and other.model.repository == recipe.model.repository
    )


def _by_role(overrides: EngineOverrides) -> dict[Role, EngineSettings]:
    roles: tuple[Role, ...] = ("prefill", "decode", "worker")
    return {role: options for role in roles if (options := getattr(overrides, role)) is not None}


def _problem(role: Role | None, text: str, overrides: Mapping[Role, EngineSettings]) -> Problem:
    """Return the problem at the option that the sentence names, as far as it names one."""
    named: list[Role] = [known for known in overrides if known in text]
    roles: list[Role] = [role] if role is not None else named or list(overrides)
    for known in roles:
        for option, value in _options(overrides.get(known)):
            if option.rpartition(".")[2] in text:
                return Problem(f"{_KEY}.{known}.{option}", value, text)
    return Problem(f"{_KEY}.{role}" if role is not None else _KEY, None, text)


def _options(settings: EngineSettings | None) -> Iterator[tuple[str, object]]:
    """Yield the options of the settings as dotted paths, innermost options first."""
    return _flat(settings.model_dump(exclude_unset=True) if settings else {}, "")


def _flat(options: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _flat(cast("Mapping[str, object]", value), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
