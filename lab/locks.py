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
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def machine_lock(purpose: str) -> Path:
    """The lock file of all this user's labs on the machine, whatever their HOME is."""
    return Path(tempfile.gettempdir()) / f"dynamo-stack-lab-{os.getuid()}-{purpose}.lock"
