"""Ctrl-C, which reaches every process of the terminal's group at once."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

INTERRUPTED = 130
"""The exit code of a command that SIGINT ended, as shells have it."""
SAID = "interrupted; running the command again continues"


def end_when_interrupted() -> None:
    """End the process at Ctrl-C, outside of what is held, with a sentence and without a traceback.

    An exception would be raised wherever Python is just then, and is lost where a library takes it for a
    failure of its own: while modules are loaded, or a command line is parsed.
    """
    signal.signal(signal.SIGINT, _end)


def unwind_when_interrupted() -> None:
    """Raise KeyboardInterrupt again, for a command that takes down what it has made."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: FrameType | None) -> None:
    # What Python would print through may be in use by the line that was interrupted.
    os.write(1, f"\nlab: {SAID}\n".encode())
    os._exit(INTERRUPTED)


@contextmanager
def held(say: str = "") -> Iterator[None]:
    """Finishes the block before an interruption ends the command.

    For what must be done whole: half a control plane is none that kwokctl can start or delete, and an engine
    that is killed leaves its lock. `say` is printed when the interruption has to wait.

    Raises:
        KeyboardInterrupt: at the end of the block, if Ctrl-C was pressed in it and does not end the process.
    """
    if threading.current_thread() is not threading.main_thread():
        # Signals go to the main thread alone.
        yield
        return
    entered: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        if say and not entered:
            os.write(1, f"\nlab: {say}\n".encode())
        entered.append(number)

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if entered:
            signal.raise_signal(signal.SIGINT)
