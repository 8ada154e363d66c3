"""One stand-in that is started again when it ends, as a kubelet does with a container."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from lab.supervisor.runs import Child, Inside

_PAUSE_SECONDS = 1.0
_log = logging.getLogger(__name__)


class Kept:
    """Runs from the moment it is made until `stop`; a first start that fails is told and not tried again."""

    def __init__(
        self,
        name: str,
        run: Inside | Child,
    ) -> None:
        self.restarts = 0
        self._name = name
        self._run = run
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._keeping = asyncio.ensure_future(self._keep())

    @property
    def pid(self) -> int | None:
        """Of the process that it runs in; None between its end and its next start."""
        return self._run.pid

    async def until_ready(self) -> None:
        """Returns when it has said that it is ready. Raises LabError where it ended before."""
        await asyncio.shield(self._ready)

    async def stop(self) -> None:
        """Ends it for good."""
        self._keeping.cancel()
        with suppress(asyncio.CancelledError):
            await self._keeping
        # Whoever waits would wait for ever; nobody may.
        if not self._ready.done():
            self._ready.set_exception(LabError(f"{self._name} was stopped before it was ready"))
            self._ready.exception()

    async def _keep(self) -> None:
        while True:
            reason = await self._end()
            if not self._ready.done():
                self._ready.set_exception(
                    LabError(f"{self._name} ended at once: {reason}; see {self._run.log}")
                )
                return
            _log.warning(
                "%s has ended: %s; it is started again in %.0f s", self._name, reason, _PAUSE_SECONDS
            )
            await asyncio.sleep(_PAUSE_SECONDS)
            self.restarts += 1

    async def _end(self) -> str:
        try:
            return await self._run.once(self._is_ready)
        except Exception as failure:
            _log.exception("%s has failed", self._name)
            return str(failure) or type(failure).__name__

    def _is_ready(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)
