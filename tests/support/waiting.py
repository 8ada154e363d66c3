"""Waits with a deadline."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PAUSE_SECONDS = 0.2


def until(happened: Callable[[], bool], what: str, seconds: float = 90.0) -> None:
    """Waits, and fails the test where `what` did not come in time."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:.0f} s: {what}")
        time.sleep(_PAUSE_SECONDS)
