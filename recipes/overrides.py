"""A recipe with engine options of a stack's settings in place of its own."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from recipes.consistency import contradictions
from recipes.model import Recipe, Role, ServiceRecipe
from recipes.tensorrt_llm import EngineSettings, TensorRtLlmOptions


class OverrideError(ValueError):
    """Overrides that the recipe cannot be served with."""

    def __init__(self, role: Role | None, messages: tuple[str, ...]) -> None:
        super().__init__("; ".join(messages))
        self.role: Role | None = role
        """Whose overrides are wrong by themselves; None where roles contradict each other."""
        self.messages: tuple[str, ...] = messages


def overridden(recipe: Recipe, overrides: Mapping[Role, EngineSettings]) -> Recipe:
    """Return the recipe with the overrides merged into its engine options, key by key.

    A block such as kv_cache_config is merged key by key too, so that naming one of its options leaves the
    others as the recipe has them. An explicit null takes the recipe's value away; the engine's default holds
    then. GPUs of a worker follow from its parallelism.

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


def _service(service: ServiceRecipe, override: EngineSettings) -> ServiceRecipe:
    if service.engine is None:
        raise TypeError(f"{service.service_name} has no engine")
    merged = _merged(_given(service.engine), _given(override))
    try:
        engine = TensorRtLlmOptions.model_validate(merged)
    except ValidationError as error:
        raise OverrideError(service.role, _messages(error)) from None
    return service.model_copy(update={"engine": engine, "gpus": engine.gpus})


def _given(options: EngineSettings) -> dict[str, Any]:
    return options.model_dump(exclude_unset=True)


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        present = merged.get(key)
        if isinstance(present, Mapping) and isinstance(value, Mapping):
            merged[key] = _merged(cast("Mapping[str, Any]", present), cast("Mapping[str, Any]", value))
        else:
            merged[key] = value
    return merged


def _messages(error: ValidationError) -> tuple[str, ...]:
    messages: list[str] = []
    for details in error.errors(include_url=False):
        place = ".".join(str(part) for part in details["loc"])
        text = details["msg"].removeprefix("Value error, ")
        # A sentence of ours names its option; one of pydantic's does not.
        messages.append(text if details["type"] == "value_error" else f"{place}: {text}")
    return tuple(messages)
