"""The settings of a stack that decide what its pods are started with, and what each of them decides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines.command_line import split_options
from recipes.merging import dotted_options
from recipes.services import Role
from stacks.settings.stack import ServingSettings

_ROLES: tuple[Role, ...] = ("frontend", "prefill", "decode", "worker")


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
