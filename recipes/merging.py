"""Engine options over a worker's own, key by key."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import ValidationError

from recipes.services import ServiceRecipe


def with_options(service: ServiceRecipe, over: Mapping[str, Any]) -> ServiceRecipe:
    """Return the worker with the options merged into its own; its GPUs follow from its parallelism.

    A block such as kv_cache_config is merged key by key too, so that naming one of its options leaves the
    others as they are. An explicit null takes the worker's value away; the engine's default holds then.

    Raises:
        TypeError: a frontend has no engine.
        pydantic.ValidationError: options that the engine refuses.

    """
    if service.engine is None:
        raise TypeError(f"{service.service_name} has no engine")
    merged = _merged(service.engine.model_dump(exclude_unset=True), over)
    engine = type(service.engine).model_validate(merged)
    return service.model_copy(update={"engine": engine, "gpus": engine.gpus})


def dotted_options(options: Mapping[str, object], block: str = "") -> Iterator[tuple[str, object]]:
    """Yield each option with its value; one within a block as block.option."""
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from dotted_options(cast("Mapping[str, object]", value), f"{block}{name}.")
        else:
            yield f"{block}{name}", value


def option_messages(error: ValidationError) -> tuple[str, ...]:
    """Return a sentence for each option that the engine refuses."""
    messages: list[str] = []
    for details in error.errors(include_url=False):
        place = ".".join(str(part) for part in details["loc"])
        text = details["msg"].removeprefix("Value error, ")
        if details["input"] is None:
            text = "null takes the recipe's value away, and the engine needs one; leave the option out"
        # A sentence of ours names its option; one of pydantic's does not.
        messages.append(text if details["type"] == "value_error" else f"{place}: {text}")
    return tuple(messages)


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        present = merged.get(key)
        if isinstance(present, Mapping) and isinstance(value, Mapping):
            merged[key] = _merged(cast("Mapping[str, Any]", present), cast("Mapping[str, Any]", value))
        else:
            merged[key] = value
    return merged
