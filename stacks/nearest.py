"""What a person most likely meant."""

import difflib
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
