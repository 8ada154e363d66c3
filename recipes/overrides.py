"""A recipe with engine options of a stack's settings in place of its own."""

from collections.abc import Mapping

from pydantic import BaseModel, ValidationError

from recipes.consistency import contradictions
from recipes.merging import option_messages, with_options
from recipes.model import Recipe
from recipes.services import Role, ServiceRecipe


def overridden(
    recipe: Recipe, overrides: Mapping[Role, BaseModel]
) -> tuple[Recipe, tuple[tuple[Role | None, str], ...]]:
    """Return the recipe with the overrides merged into its engine options, key by key, and what is wrong.

    What is wrong stands beside the role whose overrides are wrong by themselves; beside None where roles
    contradict each other.

    Args:
        recipe: as it is in the catalogue.
        overrides: by role, settings of the recipe's engine.

    """
    roles = [worker.role for worker in recipe.workers]
    for role in overrides:
        if role not in roles:
            return recipe, (
                (role, f"the recipe {recipe.name} has no role {role}, only {' and '.join(roles)}"),
            )
    services: list[ServiceRecipe] = []
    for service in recipe.services:
        over = overrides[service.role].model_dump(exclude_unset=True) if service.role in overrides else None
        try:
            services.append(service if over is None else with_options(service, over))
        except ValidationError as error:
            return recipe, tuple((service.role, text) for text in option_messages(error))
    changed = recipe.model_copy(update={"services": tuple(services)})
    found = contradictions(changed)
    return recipe if found else changed, tuple((None, text) for text in found)
