"""Inputs as the parameters of a request, guided by the shapes of AWS's service models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider import naming_of_keys
from lab.aws_provider.errors import UnmappedInputError
from lab.provider_service.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping


_KEY_VALUE = {"Key", "Value"}


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
    return _scalar(value, shape.type_name)


def _structure(value: Any, shape: Any, path: str, renamed: Mapping[str, str]) -> Any:
    given = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(given, dict):
        raise UnmappedInputError(f"{path}: expected an object, got {given!r}")
    members = getattr(shape, "members", {})
    result: dict[str, Any] = {}
    for key, item in given.items():
        name = naming_of_keys.find(key, members, renamed)
        if name is None:
            raise UnmappedInputError(
                f"{path}.{key}: this stand-in does not map it to the request (known: {', '.join(members)})"
            )
        if not isinstance(item, Unknown) and item != "":
            result[name] = expand(item, members[name], f"{path}.{key}", renamed)
    return result


def _list(value: Any, shape: Any, path: str, renamed: Mapping[str, str]) -> Any:
    member = shape.member
    if isinstance(value, dict) and set(getattr(member, "members", ())) == _KEY_VALUE:
        return [
            {"Key": key, "Value": str(item)} for key, item in value.items() if not isinstance(item, Unknown)
        ]
    items = value if isinstance(value, list) else [value]
    known = [item for item in items if not isinstance(item, Unknown)]
    return [expand(item, member, f"{path}[{index}]", renamed) for index, item in enumerate(known)]


def _scalar(value: Any, type_name: str) -> Any:
    match type_name:
        case "boolean" if isinstance(value, str):
            return value.lower() == "true"
        case "integer" | "long" if isinstance(value, str):
            return int(value)
        case "float" | "double":
            return float(value)
        case "string" if isinstance(value, bool):
            return "true" if value else "false"
        case "string" if isinstance(value, int | float):
            return str(value)
    return value
