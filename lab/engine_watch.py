"""Ends a plugin process after the engine that started it is gone."""

from __future__ import annotations

import os
import select
import threading
from typing import TYPE_CHECKING

from lab.fork_server.launcher import STARTED_BY

if TYPE_CHECKING:
    from collections.abc import Callable


def end_with_engine(before: Callable[[], None] = lambda: None) -> None:
    """Waits in a thread for the end of the process that started this one; calls `before` then, and exits.

    A killed engine cannot tell its plugins to stop. Left alone they live on, keep a cluster connection open
    and finish a call whose result nobody records.
    """
    try:
        engine = os.pidfd_open(int(os.environ.get(STARTED_BY) or os.getppid()))
    except ProcessLookupError:
        engine = None

    def watch() -> None:
        if engine is not None:
            select.select([engine], [], [])
        before()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
