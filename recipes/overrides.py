"""A recipe with engine options of a stack's settings in place of its own."""

from collections.abc import Mapping

from pydantic import BaseModel, ValidationError

from recipes.consistency import contradictions
from recipes.merging import option_messages, with_options
from recipes.model import Recipe
from recipes.services import Role, ServiceRecipe


class OverrideError(ValueError):
    """Overrides that the recipe cannot be served with."""

    def __init__(self, role: Role | None, messages: tuple[str, ...]) -> None:
        super().__init__("; ".join(messages))
        self.role: Role | None = role
        """Whose overrides are wrong by themselves; None where roles contradict each other."""
        self.messages: tuple[str, ...] = messages


def overridden(recipe: Recipe, overrides: Mapping[Role, BaseModel]) -> Recipe:
    """Return the recipe with the overrides merged into its engine options, key by key.

    Args:
        recipe: as it is in the catalogue.
        overrides: by role, settings of the recipe's engine.

    Raises:
        OverrideError: a role that the recipe does not have, options that the engine refuses, or roles that
            contradict each other afterwards.

    """
    roles = [worker.role for worker in recipe.workers]
    for role in overrides:
        if role not in roles:
            raise OverrideError(
                role, (f"the recipe {recipe.name} has no role {role}, only {' and '.join(roles)}",)
            )
    services = tuple(
        _service(service, overrides[service.role]) if service.role in overrides else service
        for service in recipe.services
    )
    changed = recipe.model_copy(update={"services": services})
    found = contradictions(changed)
    if found:
        raise OverrideError(None, found)
    return changed


def _service(service: ServiceRecipe, override: BaseModel) -> ServiceRecipe:
    try:
        return with_options(service, override.model_dump(exclude_unset=True))
    except ValidationError as error:
        raise OverrideError(service.role, option_messages(error)) from None
