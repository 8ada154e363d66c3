"""Locks between processes, held while something is made that two of them must not make at once."""

from __future__ import annotations

import fcntl
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Holds the lock of this file, waiting for whoever has it; a process that dies lets go of it."""
    descriptor = _opened(file)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def taken(file: Path) -> int | None:
    """Takes the lock of this file and returns the open file that holds it; None where somebody has it."""
    descriptor = _opened(file)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def of_all_labs(name: str) -> Path:
    """The path of what all this user's labs on the machine share, whatever their HOME is."""
    return Path(tempfile.gettempdir()) / f"dynamo-stack-lab-{os.getuid()}-{name}"


def _opened(file: Path) -> int:
    file.parent.mkdir(parents=True, exist_ok=True)
    return os.open(file, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
