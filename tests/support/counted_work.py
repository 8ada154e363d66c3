"""How much Python does, counted and not timed: the same on every machine, however busy it is."""

import sys
from collections.abc import Callable
from types import FrameType


def steps(action: Callable[[], object]) -> int:
    """The lines that Python runs for the action, of all functions."""
    counted = 0

    def count(_frame: FrameType, _event: str, _argument: object) -> object:
        nonlocal counted
        counted += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        action()
    finally:
        sys.settrace(before)
    return counted
