"""How a stand-in that is a process of its own begins and ends."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Coroutine

READY = b"ready\n"
_REFUSED = 2
_PR_SET_PDEATHSIG = 1
_FORMAT = "%(asctime)s %(levelname)s %(message)s"


def run(work: Coroutine[None, None, None]) -> int:
    """Works until SIGTERM, SIGINT or the end of the work; returns the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format=_FORMAT)
    logging.getLogger("lab").setLevel(logging.INFO)
    try:
        asyncio.run(_until_signalled(work))
    except LabError as refusal:
        sys.stderr.write(f"{refusal}\n")
        return _REFUSED
    return 0


def say_ready() -> None:
    """Tells the process that started this one; what is printed from now on goes where errors go."""
    # A person who typed the command, or a parent that is gone, does not wait.
    with suppress(OSError):
        os.write(1, READY)
    os.dup2(2, 1)


def end_with_parent() -> threading.Event:
    """Ends this process as SIGTERM would when its parent ends, which holds the other end of its input.

    Returns what is set by then.
    """
    is_gone = threading.Event()

    def wait() -> None:
        while os.read(0, 1024):
            pass
        is_gone.set()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
    return is_gone


def die_with(parent: int) -> None:
    """Has the kernel kill this process, which has just been forked, when the process `parent` ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        # It died before the kernel had been asked.
        os._exit(1)


async def _until_signalled(work: Coroutine[None, None, None]) -> None:
    loop = asyncio.get_running_loop()
    working = asyncio.ensure_future(work)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, working.cancel)
    with suppress(asyncio.CancelledError):
        await working
