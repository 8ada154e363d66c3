"""A value that somebody wrote, with the place that decides it; and what is said where it cannot be told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_MOST_DIGITS = 100


class Undecided(Exception):  # noqa: N818 - no error: who asked cannot judge, and says why
    """A value that is needed is unknown, absent from what was read or not of the expected shape.

    Every reading may raise it: its message is what a rule says instead of judging.
    """


@dataclass(frozen=True, slots=True)
class Setting:
    """A value, and the option, file or variable that sets it."""

    value: Any
    source: str

    def __str__(self) -> str:
        return f"{self.value} ({self.source})"


@dataclass(frozen=True, slots=True)
class Count(Setting):
    """A setting that is a whole number."""

    value: int


def whole_number(value: object, what: str) -> int:
    """The value as a whole number, also where it is written as a text."""
    if isinstance(value, int) and not isinstance(value, bool):
        # Beyond three hundred no floating-point number is as large.
        if abs(value) >= 10**_MOST_DIGITS:
            raise Undecided(f"{what} has more than {_MOST_DIGITS} digits")
        return value
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        # Python itself refuses to read thousands of digits.
        if len(value) > _MOST_DIGITS:
            raise Undecided(f"{what} has {len(value)} digits")
        return int(value)
    raise Undecided(f"{what} is {shown(value)}, not a whole number")


def number(value: object, what: str) -> float:
    """The value as a number, such as a fraction."""
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise Undecided(f"{what} is {value!r}, not a number")


def shown(value: object) -> str:
    """A value for a message."""
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    return repr(value)
