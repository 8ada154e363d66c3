"""What a value of any kind is, as far as comparing goes: a mapping, a list or one value."""

from collections.abc import Mapping, Sequence
from typing import TypeGuard


def is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether the value has fields."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether the value has items; a text has none."""
    return isinstance(value, (list, tuple))


def value_at(value: object, *steps: str | int) -> object:
    """Return the value below these keys and positions; None where one of them is missing."""
    for step in steps:
        if is_mapping(value) and isinstance(step, str):
            value = value.get(step)
        else:
            value = value[step] if is_list(value) and isinstance(step, int) and step < len(value) else None
    return value
