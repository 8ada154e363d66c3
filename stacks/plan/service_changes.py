"""A stack's variables, options, router mode and images in its recipe, and what each setting decides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines.command_line import split_options
from recipes.consistency import contradictions
from recipes.merging import dotted_options
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


@dataclass(frozen=True, slots=True)
class TypedSetting:
    """One setting that a person typed."""

    key: str
    """Its path in the settings: serving.overrides.decode.max_batch_size."""
    role: Role
    """Of the service that it changes."""
    decides: str
    """The engine option, as in an engine file, the variable, or `image`."""


def typed_settings(serving: ServingSettings) -> tuple[TypedSetting, ...]:
    """Return what is typed over a recipe; a setting that is left out decides nothing."""
    return tuple(each for role in _ROLES for each in _of_role(serving, role))


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


def _of_role(serving: ServingSettings, role: Role) -> Iterator[TypedSetting]:
    for option, _ in dotted_options(getattr(serving.overrides, role, None) or {}):
        yield TypedSetting(f"serving.overrides.{role}.{option}", role, option)
    for flag, _ in split_options(getattr(serving.arguments, role) or ()):
        option = flag.lstrip("-").removeprefix("no-").replace("-", "_")
        yield TypedSetting(f"serving.arguments.{role}", role, option)
    variables: Mapping[str, str | None] = getattr(serving.environment, role) or {}
    for variable in variables:
        yield TypedSetting(f"serving.environment.{role}.{variable}", role, variable)
    if getattr(serving.image_versions, role) is not None:
        yield TypedSetting(f"serving.imageVersions.{role}", role, "image")
    if role == "frontend" and serving.router_mode is not None:
        yield TypedSetting("serving.routerMode", role, "router_mode")
    # Only a recipe with one kind of worker takes it.
    if role == "worker" and serving.gpus_per_worker is not None:
        yield TypedSetting("serving.gpusPerWorker", role, "tensor_parallel_size")
