"""What the supervisor is asked through its socket: start, stop, say what runs."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lab.controller.process import say_ready
from lab.errors import LabError
from lab.locks import taken
from lab.supervisor.kept import Kept
from lab.supervisor.runs import Child, Inside

if TYPE_CHECKING:
    from lab.directory import LabDirectory

SOCKET = "supervisor"
_LONGEST_REQUEST = 1 << 20
_LOOK_SECONDS = 2.0
_LOCK = "supervisor.lock"
_LOCK_SECONDS = 0.1

Document = dict[str, Any]


def socket_path(folder: int, name: str = SOCKET) -> str:
    """A socket in an open folder: its own path may be longer than a socket's address can be."""
    return f"/proc/self/fd/{folder}/{name}"


async def serve(lab: LabDirectory) -> None:
    """Answers until the last stand-in is stopped, the lab's folder is gone, or it is cancelled.

    Where another one answers for this lab already, it ends: a command that was interrupted has left it.
    """
    file = lab.processes / SOCKET
    # Held for the life of the process.
    while taken(lab.processes / _LOCK) is None:
        if file.exists():
            say_ready()
            return
        await asyncio.sleep(_LOCK_SECONDS)
    supervisor = Supervisor(lab)
    file.unlink(missing_ok=True)
    folder = os.open(lab.processes, os.O_PATH)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(socket_path(folder))
    os.close(folder)
    server = await asyncio.start_unix_server(supervisor.answer, sock=listener, limit=_LONGEST_REQUEST)
    say_ready()
    try:
        while lab.processes.exists() and not supervisor.is_over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(supervisor.is_over.wait(), _LOOK_SECONDS)
    finally:
        file.unlink(missing_ok=True)
        server.close()
        await supervisor.stop()


class Supervisor:
    """The stand-ins of one lab, by name."""

    def __init__(self, lab: LabDirectory) -> None:
        self.is_over = asyncio.Event()
        self._lab = lab
        self._kept: dict[str, Kept] = {}

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request and one answer, each a line of JSON."""
        try:
            request = json.loads(await reader.readline())
            try:
                said = await self._do(request)
            except LabError as error:
                said = {"error": str(error)}
            writer.write(json.dumps(said).encode() + b"\n")
            await writer.drain()
        except (OSError, ValueError):
            # Who asked has gone.
            pass
        finally:
            writer.close()

    async def stop(self) -> None:
        """Ends all of them."""
        await asyncio.gather(*(each.stop() for each in self._kept.values()))
        self._kept.clear()

    async def _do(self, request: Document) -> Document:
        name = request.get("name", "")
        match request["do"]:
            case "start":
                return await self._start(name, request)
            case "stop":
                if found := self._kept.pop(name, None):
                    await found.stop()
                self._end_when_idle()
            case "end":
                await self.stop()
                self._end_when_idle()
        kept = self._kept.get(name)
        return {"pid": kept.pid, "restarts": kept.restarts} if kept else {}

    async def _start(self, name: str, request: Document) -> Document:
        kept = self._kept.get(name)
        is_new = kept is None
        if kept is None:
            kept = self._kept[name] = Kept(name, self._run(name, request))
        if request["wait"]:
            try:
                await kept.until_ready()
            except LabError:
                self._kept.pop(name, None)
                self._end_when_idle()
                raise
        return {"started": is_new}

    def _run(self, name: str, request: Document) -> Inside | Child:
        log = self._lab.processes / f"{name}.log"
        if request["inside"]:
            return Inside(self._lab, request["module"], log)
        return Child(self._lab, request["module"], log, request["arguments"], request["variables"])

    def _end_when_idle(self) -> None:
        if not self._kept:
            # Before the answer: whoever starts something next starts another supervisor.
            (self._lab.processes / SOCKET).unlink(missing_ok=True)
            self.is_over.set()
