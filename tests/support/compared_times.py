"""What takes no longer than a multiple of something else that runs beside it, however busy the machine is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_ATTEMPTS = 8


def assert_at_most(times: float, base: Callable[[], float], work: Callable[[], float]) -> tuple[float, float]:
    """The work takes at most so many times the seconds of the base.

    Both are measured in turn and the least seconds of each compared, until that holds: neighbours take
    their share of caches and cores from one attempt, and never make one faster.

    Args:
        times: how many times as long the work may take.
        base: measures once what the work is compared with, in seconds.
        work: measures once the work itself, in seconds.

    Returns:
        The least seconds of the base and of the work.

    """
    measured: list[tuple[float, float]] = []
    while len(measured) < _ATTEMPTS:
        measured.append((base(), work()))
        least_base, least_work = map(min, zip(*measured, strict=True))
        if least_work <= times * least_base:
            return least_base, least_work
    raise AssertionError(f"more than {times} times as long in each attempt (seconds of both): {measured}")


def processor_seconds(action: Callable[[], object]) -> float:
    """Processor time of this process: what other processes take is not in it."""
    begun = time.process_time()
    action()
    return time.process_time() - begun
