"""How much slower things are than on an idle machine, for bounds that are promised of an idle one."""

from __future__ import annotations

import os

_SHARED_CORE = 1.5
"""What processor time grows by, at most, where neighbours take a core's caches and its other thread."""


def slowness() -> float:
    """How many times as long a wall clock shows: what wanted to run in the last minute, for each core."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def processor_slowness() -> float:
    """How many times as much processor time the same work takes."""
    return min(slowness(), _SHARED_CORE)
