"""Waits with a deadline."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING

from tests.support.changes import changes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.directory import LabDirectory

_PAUSE_SECONDS = 0.2


def until(
    happened: Callable[[], bool],
    what: str,
    seconds: float = 90.0,
    *,
    cluster: LabDirectory | None = None,
    seen: Callable[[], str] = str,
) -> None:
    """Waits, and fails the test where `what` did not come in time.

    Args:
        happened: whether it did.
        what: in the words of a failure.
        seconds: the deadline.
        cluster: looks again when this one has stored a change; every look starts kubectl, and many slow down
            what they wait for.
        seen: what a reader of the failure wants to know besides.

    """
    deadline = time.monotonic() + seconds
    with changes_of(cluster) if cluster else nullcontext(_pause) as next_change:
        while not happened():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds:.0f} s: {what}\n{seen()}".rstrip())
            next_change()


def _pause() -> None:
    time.sleep(_PAUSE_SECONDS)
