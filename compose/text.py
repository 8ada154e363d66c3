"""Texts as a compose file holds them: a dollar sign begins a variable, unless there are two."""

from collections.abc import Mapping, Sequence
from typing import Any, cast


class Interpolated(str):
    """A text whose ${…} Compose replaces."""

    __slots__ = ()


def escaped(value: Any) -> Any:
    """Return the value with every text in it as Compose must read it to give it back unchanged."""
    if isinstance(value, Interpolated):
        return str(value)
    if isinstance(value, str):
        return value.replace("$", "$$")
    if isinstance(value, Mapping):
        return {key: escaped(item) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, Sequence):
        return [escaped(item) for item in cast("Sequence[Any]", value)]
    return value


def byte_size(quantity: str) -> str:
    """Return a Kubernetes quantity such as 80Gi as Compose writes it: there g is 2**30 bytes too."""
    return quantity.removesuffix("i").lower()
