"""Inputs as the parameters of a request, guided by the shapes of AWS's service models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.errors import UnmappedInputError
from lab.provider_service.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_KEY_VALUE = {"Key", "Value"}
_NO_NAMES: Mapping[str, str] = {}


def find(key: str, names: Iterable[str], renamed: Mapping[str, str] = _NO_NAMES) -> str | None:
    """AWS's name of Pulumi's key among those that a structure has: mostly only the case differs."""
    known = {name.lower(): name for name in names}
    lower = renamed.get(key, key).lower()
    return known.get(lower) or known.get(lower.removesuffix("s")) or known.get(f"{lower}s")


def expand(value: Any, shape: Any, path: str, renamed: Mapping[str, str]) -> Any:
    """The value as its shape wants it. Raises UnmappedInputError for a key that the shape lacks.

    The SDK types some booleans and numbers as text, flattens lists of one into the item, and writes
    tags as maps where the shape is a list of keys and values. Unknowns are left out.
    """
    match shape.type_name:
        case "structure":
            return _structure(value, shape, path, renamed)
        case "list":
            return _list(value, shape, path, renamed)
        case "map":
            return {key: str(item) for key, item in value.items() if not isinstance(item, Unknown)}
        case "boolean" if isinstance(value, str):
            return value.lower() == "true"
        case "integer" | "long" if isinstance(value, str):
            return int(value)
    return value


def _structure(value: Any, shape: Any, path: str, renamed: Mapping[str, str]) -> Any:
    if not isinstance(value, dict):
        raise UnmappedInputError(f"{path}: expected an object, got {value!r}")
    result: dict[str, Any] = {}
    for key, item in value.items():
        name = find(key, shape.members, renamed)
        if name is None:
            raise UnmappedInputError(
                f"{path}.{key}: this stand-in does not map it to the request (known: "
                f"{', '.join(shape.members)})"
            )
        if not isinstance(item, Unknown) and item != "":
            result[name] = expand(item, shape.members[name], f"{path}.{key}", renamed)
    return result


def _list(value: Any, shape: Any, path: str, renamed: Mapping[str, str]) -> Any:
    member = shape.member
    if isinstance(value, dict) and set(getattr(member, "members", ())) == _KEY_VALUE:
        tags = {key: item for key, item in value.items() if not isinstance(item, Unknown)}
        return [{"Key": key, "Value": str(item)} for key, item in tags.items()]
    items = value if isinstance(value, list) else [value]
    known = [item for item in items if not isinstance(item, Unknown)]
    return [expand(item, member, f"{path}[{index}]", renamed) for index, item in enumerate(known)]
