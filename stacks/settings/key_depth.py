"""Keys that stand in a block below their own: what to say of them, and which findings follow from them."""

from collections.abc import Iterable

from pydantic_core import ErrorDetails

from stacks.errors import Problem
from stacks.settings.setting_places import Place, dotted, keys_of, place_at


def follows_from_depth(
    finding: ErrorDetails, place: Place, findings: Iterable[tuple[ErrorDetails, Place]]
) -> bool:
    """Whether a key is missing, or unknown, because the first line of its block stands too deep."""
    for other, deep in findings:
        if other["type"] != "extra_forbidden" or not (home := home_of(deep)):
            continue
        if finding["type"] == "missing" and place.path == home.path:
            return True
        is_inside = place.path[:-1] == deep.path[:-1] and other["input"] is None
        keys = [key for model in home.models for key in keys_of(model)]
        if finding["type"] == "extra_forbidden" and is_inside and place.path[-1] in keys:
            return True
    return False


def home_of(place: Place) -> Place | None:
    """Return where the unknown key is known, of the blocks around it; None where it is in none."""
    *around, key = place.path
    for depth in range(len(around) - 1, -1, -1):
        block = place_at(place.root, tuple(around[:depth]))
        if any(key in keys_of(model) for model in block.models):
            return place_at(place.root, (*block.path, key))
    return None


def depth_problem(place: Place, home: Place, shown: object) -> Problem:
    """Return what to say of the key."""
    *around, key = place.path
    return Problem(
        str(place),
        shown,
        f"{str(key)!r} is indented too far: {dotted(tuple(around))} has no such key",
        suggestion=f"{home}, in the column of {place.path[len(home.path) - 1]}",
    )
