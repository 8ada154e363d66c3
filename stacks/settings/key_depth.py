"""Keys that stand in a block below or above their own: what to say, and which findings follow from them."""

from collections.abc import Iterable
from typing import NamedTuple

from pydantic_core import ErrorDetails

from stacks.errors import Problem
from stacks.settings.setting_places import Place, dotted, keys_of, place_at


class TooDeep(NamedTuple):
    """An unknown key that one of the blocks around it knows."""

    finding: ErrorDetails
    place: Place
    home: Place
    """Where it is known."""

    def explains(self, other: ErrorDetails, place: Place) -> bool:
        """Whether a key is missing, or unknown, because this block's first line stands too deep."""
        if other["type"] == "missing":
            return place.path == self.home.path
        is_inside = place.path[:-1] == self.place.path[:-1] and self.finding["input"] is None
        keys = [key for model in self.home.models for key in keys_of(model)]
        return other["type"] == "extra_forbidden" and is_inside and place.path[-1] in keys


def too_deep(findings: Iterable[tuple[ErrorDetails, Place]]) -> list[TooDeep]:
    """Return the findings of which indentation is the cause."""
    return [
        TooDeep(finding, place, home)
        for finding, place in findings
        if finding["type"] == "extra_forbidden" and (home := home_of(place))
    ]


def home_of(place: Place) -> Place | None:
    """Return where the unknown key is known, of the blocks around it; None where it is in none."""
    *around, key = place.path
    for depth in range(len(around) - 1, -1, -1):
        block = place_at(place.root, tuple(around[:depth]))
        if any(key in keys_of(model) for model in block.models):
            return place_at(place.root, (*block.path, key))
    return None


def homes_below(place: Place) -> list[str]:
    """Return where the blocks beside the unknown key know it, as `platform.nats.storageClassName`."""
    *around, key = place.path
    beside = [name for model in place_at(place.root, tuple(around)).models for name in keys_of(model)]
    return [
        dotted((*around, name, key))
        for name in dict.fromkeys(beside)
        if any(key in keys_of(model) for model in place_at(place.root, (*around, name)).models)
    ]


def depth_problem(place: Place, home: Place, shown: object) -> Problem:
    """Return what to say of the key."""
    *around, key = place.path
    return Problem(
        str(place),
        shown,
        f"{str(key)!r} is indented too far: {dotted(tuple(around))} has no such key",
        suggestion=f"{home}, in the column of {place.path[len(home.path) - 1]}",
    )
