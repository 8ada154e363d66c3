"""A stack's variables, options, router mode and image versions in the recipe that it serves."""

from recipes.consistency import contradictions
from recipes.model import Recipe
from recipes.service_changes import Refusal, ServiceChange, refused_changes, with_changes
from recipes.services import Role
from stacks.errors import Problem
from stacks.settings.stack import ServingSettings

_ROLES: tuple[Role, ...] = ("frontend", "prefill", "decode", "worker")


def with_service_changes(recipe: Recipe, serving: ServingSettings) -> tuple[Recipe, tuple[Problem, ...]]:
    """Return the recipe as the stack changes it, or as it is beside the reasons why it cannot be so."""
    every: dict[Role, ServiceChange] = {role: _change(serving, role) for role in _ROLES}
    changes: dict[Role, ServiceChange] = {
        role: change for role, change in every.items() if change != ServiceChange()
    }
    if not changes:
        return recipe, ()
    refusals = tuple(refused_changes(recipe, changes))
    if refusals:
        return recipe, tuple(map(_problem, refusals))
    changed = with_changes(recipe, changes)
    found = contradictions(changed)
    if found:
        return recipe, tuple(Problem("serving.arguments", None, text) for text in found)
    return changed, ()


def _change(serving: ServingSettings, role: Role) -> ServiceChange:
    return ServiceChange(
        environment=getattr(serving.environment, role) or {},
        arguments=getattr(serving.arguments, role) or (),
        image_version=getattr(serving.image_versions, role),
        router_mode=serving.router_mode if role == "frontend" else None,
    )


def _problem(refusal: Refusal) -> Problem:
    key = (
        f"serving.{refusal.what}"
        if refusal.what == "routerMode"
        else f"serving.{refusal.what}.{refusal.role}"
    )
    if refusal.what == "environment":
        return Problem(f"{key}.{refusal.name}", None, refusal.message, suggestion=refusal.instead)
    return Problem(key, refusal.name, refusal.message, suggestion=refusal.instead)
