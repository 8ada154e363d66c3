"""Whether the process that started this one is gone."""

from __future__ import annotations

import os
import threading

is_forked = threading.Event()
"""Set in a process that `lab.warm_start` forked, whose own parent says nothing."""
has_left = threading.Event()
"""Set there when the launcher's parent is gone."""

_PARENT = os.getppid()


def parent_is_gone() -> bool:
    """Tell whether the process that started this one, or its launcher, is gone."""
    return has_left.is_set() if is_forked.is_set() else os.getppid() != _PARENT
