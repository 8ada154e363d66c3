"""Ends a plugin process after the engine that started it is gone."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_POLL_SECONDS = 0.5


def end_with_engine(before: Callable[[], None] = lambda: None) -> None:
    """Watches the parent process from a thread; calls `before` when it has changed, and exits when that ends.

    A killed engine cannot tell its plugins to stop. Left alone they live on, keep a cluster connection open
    and finish a call whose result nobody records.
    """
    engine = os.getppid()
    never = threading.Event()

    def watch() -> None:
        while os.getppid() == engine:
            never.wait(_POLL_SECONDS)
        before()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
