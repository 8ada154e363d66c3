"""The Dynamo runtime for the lab's pods: the real wheel, installed once per machine beside the built tools.

The wheel holds the frontend, the workers' entry points and the mock engine, and needs no GPU. Its
dependencies contradict those of this project, so that it has an environment of its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lab.directory import REPOSITORY
from lab.errors import LabError
from lab.locks import locked
from lab.toolchain.progress import regularly

if TYPE_CHECKING:
    from collections.abc import Callable

REQUIREMENT = "ai-dynamo==1.2.1"
"""The release line of the recipes' images."""
LOCK = REPOSITORY / "lab" / "runtime_image" / "requirements.txt"
_PYTHONS = ((3, 12), (3, 11), (3, 10))
"""Those that the wheel is built for (https://pypi.org/project/ai-dynamo/1.2.1)."""
_USUAL_SECONDS = 40
_LONGEST_SECONDS = 900


def runtime_python(cache: Path) -> Path:
    """Return the Python of the installed runtime, whether it is there yet or not.

    Raises:
        LabError: no Python of this machine is one that the wheel is built for.

    """
    return _folder(cache, _base_python()) / "bin" / "python"


def is_installed(cache: Path) -> bool:
    """Whether the runtime is in the cache."""
    return runtime_python(cache).exists()


def install_missing(cache: Path, say: Callable[[str], None]) -> Path:
    """Install the runtime unless it is there; return its Python. Two callers at once install it once.

    Raises:
        LabError: it cannot be installed; the text says why, and how to do without it.

    """
    base = _base_python()
    target = _folder(cache, base)
    python = target / "bin" / "python"
    if python.exists():
        return python
    with locked(target.with_suffix(".lock")):
        if not python.exists():
            _install(base, target, say)
    return python


def _install(base: Path, target: Path, say: Callable[[str], None]) -> None:
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    size = f"{REQUIREMENT}, about 550 MB"
    say(f"installing the Dynamo runtime ({size}), once per machine, usually {_USUAL_SECONDS} s")
    started = time.monotonic()
    uv = str(Path(sys.executable).with_name("uv"))
    into = ("--python", str(partial / "bin" / "python"))
    with regularly(lambda: say(f"still installing the runtime, {time.monotonic() - started:.0f} s")):
        _run(uv, "venv", "--quiet", "--python", str(base), str(partial))
        _run(
            uv, "pip", "install", "--quiet", "--compile-bytecode", *into, "--require-hashes", "-r", str(LOCK)
        )
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)
    say(f"installed the runtime in {time.monotonic() - started:.0f} s")


def _run(*command: str) -> None:
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_LONGEST_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise LabError(
            f"the Dynamo runtime was not installed within {_LONGEST_SECONDS} s\n{_WITHOUT}"
        ) from None
    if answer.returncode != 0:
        raise LabError(f"the Dynamo runtime cannot be installed:\n{answer.stderr.strip()}\n{_WITHOUT}")


_WITHOUT = (
    "running the command again resumes; `make lab-up PODS=simulated` brings pods up that no process is behind"
)


def _folder(cache: Path, base: Path) -> Path:
    content = hashlib.sha256(LOCK.read_bytes() + str(base).encode()).hexdigest()
    return cache / "runtime" / f"{REQUIREMENT.replace('==', '-')}-{content[:12]}"


def _base_python() -> Path:
    """Return this Python if the wheel is built for it, or the newest on PATH that it is built for."""
    if sys.version_info[:2] in _PYTHONS:
        return Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    path = os.environ.get("PATH")
    found = (shutil.which(f"python{major}.{minor}", path=path) for major, minor in _PYTHONS)
    python = next(filter(None, found), None)
    if python is None:
        known = ", ".join(f"{major}.{minor}" for major, minor in reversed(_PYTHONS))
        raise LabError(
            f"the Dynamo runtime is built for Python {known}, and none of them is on PATH "
            f"(this is {sys.version_info[0]}.{sys.version_info[1]})\ninstall one of them, or type "
            "`make lab-up PODS=simulated` for pods that no process is behind"
        )
    return Path(python)
