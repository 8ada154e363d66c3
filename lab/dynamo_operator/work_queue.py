"""One object at a time, each at most once in the queue, failures again after a growing pause."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lab.controller.api import FAILURES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0

_log = logging.getLogger(__name__)

Key = tuple[str, str, str]
"""Kind, namespace and name."""


class WorkQueue:
    """Keys to reconcile; the newest state of the cluster is read when their turn comes."""

    def __init__(self, reconcile: Callable[[Key], Awaitable[None]]) -> None:
        self._reconcile = reconcile
        self._keys: asyncio.Queue[Key] = asyncio.Queue()
        self._waiting: set[Key] = set()
        self._failures: dict[Key, int] = {}

    def add(self, key: Key) -> None:
        """Once more for this key, unless it waits already."""
        if key not in self._waiting:
            self._waiting.add(key)
            self._keys.put_nowait(key)

    async def work(self) -> None:
        """Reconciles until cancelled."""
        while True:
            key = await self._keys.get()
            self._waiting.discard(key)
            try:
                await self._reconcile(key)
            except FAILURES as error:
                self._try_again(key, error)
            else:
                self._failures.pop(key, None)

    def _try_again(self, key: Key, error: Exception) -> None:
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**failures)
        _log.info("%s %s/%s: %s; again in %.0f s", *key, error, pause)
        asyncio.get_running_loop().call_later(pause, self.add, key)
