"""What a person most likely meant."""

import difflib
import re
from collections.abc import Iterable

_ALIKE = 0.6


def nearest(entered: str, known: Iterable[str]) -> str | None:
    """Return the known word most like the entered one, or None when none is alike."""
    words = list(known)
    lowered = {word.lower(): word for word in words}
    started = [word for word in words if entered and word.lower().startswith(entered.lower())]
    if len(started) == 1:
        return started[0]
    found = difflib.get_close_matches(entered.lower(), lowered, n=1, cutoff=_ALIKE)
    return lowered[found[0]] if found else None


def nearest_recipe(entered: str, known: Iterable[str]) -> str | None:
    """Return the recipe most like the entered one, of the same model; several where no model was entered.

    Names differ in few letters between models: the nearest name alone would offer another model.
    """
    model, slash, way = entered.rpartition("/")
    names = [name for name in known if not slash or _numbers(name.rpartition("/")[0]) == _numbers(model)]
    if slash:
        return nearest(entered, names)
    meant = nearest(way, {name.rpartition("/")[2] for name in names})
    return " or ".join(name for name in names if name.rpartition("/")[2] == meant) or None


def _numbers(model: str) -> list[str]:
    """Return the numbers in a model's name, which say how large it is."""
    return re.findall(r"[0-9]+", model)
