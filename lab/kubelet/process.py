"""One process of a container: its start, its log in the container runtime's format, its end."""

from __future__ import annotations

import asyncio
import collections
import datetime as dt
import os
import signal
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Self

from lab.controller.process import die_with

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_LAST_LINES = 15
_KEPT_LINES, _KEPT_BYTES = 80, 2048
"""What a status keeps of a log (kubernetes/kubernetes pkg/kubelet/container/runtime.go)."""
_LONGEST_LINE = 1 << 20
_KILL_SECONDS = 5
_LOOK_SECONDS = 0.05


class ContainerProcess:
    """A running process in a session of its own, which ends with the kubelet."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log
        self._last: collections.deque[str] = collections.deque(maxlen=_KEPT_LINES)
        streams = (("stdout", process.stdout), ("stderr", process.stderr))
        self._copying = [asyncio.ensure_future(self._copy(*each)) for each in streams]
        self._closed = asyncio.ensure_future(process.wait())

    @classmethod
    async def start(
        cls, command: Sequence[str], variables: Mapping[str, str], folder: Path, log: Path
    ) -> Self:
        """Start the command.

        Raises:
            OSError: there is no such program.

        """
        process = await asyncio.create_subprocess_exec(
            *command,
            env=dict(variables),
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            start_new_session=True,
            # A kubelet that is killed would leave processes behind that no pod knows of.
            preexec_fn=partial(die_with, os.getpid()),
        )
        return cls(process, log)

    @property
    def last_lines(self) -> str:
        """The end of what it has printed, to be read in an event."""
        return "\n".join(list(self._last)[-_LAST_LINES:])

    @property
    def last_output(self) -> str:
        """The end of what it has printed, as much as a container's status keeps."""
        return "\n".join(self._last).encode()[-_KEPT_BYTES:].decode(errors="ignore")

    async def wait(self) -> int:
        """Return the exit code when it has ended and its output is in the log; 128 + n for signal n."""
        # asyncio's own wait lasts until the pipes are closed, which a child that it left behind holds open.
        while (code := self._process.returncode) is None:
            await asyncio.sleep(_LOOK_SECONDS)
        # What it left behind ends with it, as in a container.
        self.kill()
        await asyncio.wait([*self._copying, self._closed], timeout=_KILL_SECONDS)
        return code if code >= 0 else 128 - code

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process alone, as the container runtime does to process 1."""
        # Not by asyncio, which would take the exit code of one that has just ended away from its own watcher.
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, number)

    def kill(self) -> None:
        """End it and everything that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _copy(self, name: str, stream: asyncio.StreamReader | None) -> None:
        if stream is None:
            return
        with self._log.open("a", encoding="utf-8") as log:
            while line := await _line(stream):
                text = line.decode(errors="replace").rstrip("\n")
                self._last.append(text)
                moment = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
                log.write(f"{moment}000Z {name} F {text}\n")
                log.flush()


async def _line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except ValueError:
        # Longer than the limit: the rest follows as lines of their own.
        return await stream.read(_LONGEST_LINE)
