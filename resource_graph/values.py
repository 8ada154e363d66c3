"""What a resource's inputs are made of, whichever adapter read them."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the inputs down: ("env", 0, "value")."""


class Unknown:
    """The type of UNKNOWN.

    It has no truth value: a rule that writes `if value:` would otherwise judge a value that only the
    update will know, and call it passed.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __reduce__(self) -> str:
        # By its name, so that it is still the one UNKNOWN in a copy, and in another process.
        return "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("an unknown value is neither true nor false; compare it with UNKNOWN first")


UNKNOWN: Final = Unknown()
"""Stands for a value that is known only after the resource exists."""

Value: TypeAlias = "bool | int | float | str | Unknown | Sequence[Value] | Mapping[str, Value] | None"


def has_unknown(value: Value) -> bool:
    """Whether the value is unknown, in whole or in any of its parts."""
    if isinstance(value, Mapping):
        return any(map(has_unknown, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(map(has_unknown, value))
    return value is UNKNOWN


def value_at(value: Value, path: Path) -> Value:
    """The value below these keys and positions; None where one of them is missing."""
    for step in path:
        if isinstance(value, Mapping) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, Sequence) and not isinstance(value, str) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        else:
            return None
    return value
