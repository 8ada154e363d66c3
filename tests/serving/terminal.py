"""A person's shell in the lab: types a command as it is printed somewhere, and reads what it says."""

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.sandbox import Sandbox

_END_SECONDS = 20.0
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class Terminal:
    """Types in one folder, after a line such as `export NAMESPACE=…`."""

    lab: Sandbox
    folder: Path
    first_line: str

    def type(self, command: str, seconds: float = 60.0) -> str:
        """Return what a command prints; one that fails or does not end fails the test."""
        return self.lab.run(
            "/bin/bash", "-ec", self._script(command), cwd=self.folder, seconds=seconds
        ).stdout

    @contextmanager
    def typed(self, command: str) -> Iterator["Screen"]:
        """A command that goes on until somebody types Ctrl-C, as the end of the block does."""
        process = subprocess.Popen(
            ["/bin/bash", "-ec", self._script(command)],
            cwd=self.folder,
            env=self.lab.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        screen = Screen(process)
        try:
            yield screen
        finally:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(_END_SECONDS)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)

    def _script(self, command: str) -> str:
        return f"{self.first_line}\n{command}"


class Screen:
    """What a running command has printed so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._lines)

    def until(self, pattern: str, seconds: float) -> re.Match[str]:
        """Wait until it shows this."""
        deadline = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.text, re.DOTALL)
            if found:
                return found
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"no {pattern!r} within {seconds:.0f} s:\n{self.text[-4000:]}")
            time.sleep(_PAUSE_SECONDS)

    def _read(self) -> None:
        assert self._process.stdout is not None
        self._lines.extend(self._process.stdout)
