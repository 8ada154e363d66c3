"""What a value of any kind is, as far as comparing goes: a mapping, a list or one value."""

from collections.abc import Mapping, Sequence
from typing import TypeGuard


def is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether the value has fields."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether the value has items; a text has none."""
    return isinstance(value, (list, tuple))


def value_at(value: object, *keys: str) -> object:
    """Return the value below these keys; None where one of them is missing."""
    for key in keys:
        value = value.get(key) if is_mapping(value) else None
    return value
