"""What is said while something takes long."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_EVERY_SECONDS = 30.0


@contextmanager
def regularly(action: Callable[[], None]) -> Iterator[None]:
    """Calls the action every half minute for as long as the block lasts."""
    finished = threading.Event()

    def repeat() -> None:
        while not finished.wait(_EVERY_SECONDS):
            action()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
