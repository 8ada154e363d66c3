"""Published Python programs that the lab runs: each installed once per machine, beside the built tools.

Their dependencies contradict those of this project and of each other, so that each has an environment of its
own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError
from lab.locks import locked
from lab.toolchain.progress import regularly

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST_SECONDS = 900


@dataclass(frozen=True)
class PublishedProgram:
    """What is installed, and from which hashed list."""

    title: str
    """As the messages call it."""
    requirement: str
    lock: Path
    pythons: tuple[tuple[int, int], ...]
    """Versions of Python that it is built for, the best first."""
    size: str
    usual_seconds: int
    without: str
    """How to do without it, for a person whose machine cannot install it."""

    def python(self, cache: Path) -> Path:
        """Return the Python of the installed program, whether it is there yet or not.

        Raises:
            LabError: no Python of this machine is one that it is built for.

        """
        return self._folder(cache, self._base_python()) / "bin" / "python"

    def install_missing(self, cache: Path, say: Callable[[str], None]) -> Path:
        """Install the program unless it is there; return its Python. Two callers at once install it once.

        Raises:
            LabError: it cannot be installed; the text says why, and how to do without it.

        """
        python = self.python(cache)
        if python.exists():
            return python
        target = python.parent.parent
        with locked(target.with_suffix(".lock")):
            if not python.exists():
                self._install(target, say)
        return python

    def _install(self, target: Path, say: Callable[[str], None]) -> None:
        partial = target.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        what = f"{self.title} ({self.requirement}, about {self.size})"
        say(f"installing {what}, once per machine, usually {self.usual_seconds} s")
        started = time.monotonic()
        uv = str(Path(sys.executable).with_name("uv"))
        into = ("--python", str(partial / "bin" / "python"))
        install = ("pip", "install", "--quiet", "--compile-bytecode", *into, "--require-hashes")
        with regularly(lambda: say(f"still installing {self.title}, {time.monotonic() - started:.0f} s")):
            self._run(uv, "venv", "--quiet", "--python", str(self._base_python()), str(partial))
            self._run(uv, *install, "-r", str(self.lock))
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
        say(f"installed {self.title} in {time.monotonic() - started:.0f} s")

    def _run(self, *command: str) -> None:
        try:
            answer = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_LONGEST_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise LabError(
                f"{self.title} was not installed within {_LONGEST_SECONDS} s\n{self.without}"
            ) from None
        if answer.returncode != 0:
            raise LabError(f"{self.title} cannot be installed:\n{answer.stderr.strip()}\n{self.without}")

    def _folder(self, cache: Path, base: Path) -> Path:
        content = hashlib.sha256(self.lock.read_bytes() + str(base).encode()).hexdigest()
        return cache / "runtime" / f"{self.requirement.replace('==', '-')}-{content[:12]}"

    def _base_python(self) -> Path:
        """Return this Python if the program is built for it, or the best on PATH that it is built for."""
        if sys.version_info[:2] in self.pythons:
            return Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
        path = os.environ.get("PATH")
        found = (shutil.which(f"python{major}.{minor}", path=path) for major, minor in self.pythons)
        python = next(filter(None, found), None)
        if python is None:
            known = ", ".join(f"{major}.{minor}" for major, minor in sorted(self.pythons))
            raise LabError(
                f"{self.title} is built for Python {known}, and none of them is on PATH "
                f"(this is {sys.version_info[0]}.{sys.version_info[1]})\n"
                f"install one of them; {self.without}"
            )
        return Path(python)
