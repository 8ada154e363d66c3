"""The two ways in which a stand-in runs: in the supervisor's own process, or as a child of it."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import sys
from typing import TYPE_CHECKING

from lab.controller.process import READY
from lab.environment import sealed_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from lab.directory import LabDirectory

_STOP_SECONDS = 5.0
_FORMAT = "%(asctime)s %(levelname)s %(message)s"


class Inside:
    """A module's `work` in this process, which logs to a file of its own."""

    def __init__(self, lab: LabDirectory, module: str, log: Path) -> None:
        self.pid: int | None = os.getpid()
        self.log = log
        self._lab = lab
        self._module = module

    async def once(self, ready: Callable[[], None]) -> str:
        """Runs `work` until it returns or is cancelled; says how it ended."""
        package = logging.getLogger(".".join(self._module.split(".")[:2]))
        handler = logging.FileHandler(self.log)
        handler.setFormatter(logging.Formatter(_FORMAT))
        package.addHandler(handler)
        package.propagate = False
        try:
            await importlib.import_module(self._module).work(self._lab, ready)
        finally:
            package.removeHandler(handler)
            handler.close()
        return "its work is over"


class Child:
    """`python -P -m <module>`, which says on its output that it is ready and ends with its input."""

    def __init__(
        self, lab: LabDirectory, module: str, log: Path, arguments: list[str], variables: Mapping[str, str]
    ) -> None:
        self.pid: int | None = None
        self.log = log
        self._lab = lab
        self._command = [sys.executable, "-P", "-m", module, "--lab-dir", str(lab.root), *arguments]
        self._variables = variables

    async def once(self, ready: Callable[[], None]) -> str:
        """Runs the process until it ends, or is ended."""
        with self.log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                cwd=self._lab.root,
                env={**sealed_environment(self._lab), **self._variables},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        self.pid = process.pid
        try:
            if process.stdout is not None and await process.stdout.readline() == READY:
                ready()
            return f"exit code {await process.wait()}"
        finally:
            self.pid = None
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
