"""A folder for what must not be read by others and must not outlive this process: credentials."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_NAME = "private"


def create() -> Path:
    """A new folder inside LAB_DIR; folders of processes that were killed are removed on the way."""
    lab = os.environ.get("LAB_DIR")
    if not lab:
        return Path(tempfile.mkdtemp(prefix="kubernetes-provider-"))
    parent = Path(lab) / _NAME
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in parent.iterdir():
        if left.name.isdigit() and not Path(f"/proc/{left.name}").exists():
            remove(left)
    folder = parent / str(os.getpid())
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def remove(folder: Path) -> None:
    """Deletes a folder made by create(). Fine when it is gone."""
    shutil.rmtree(folder, ignore_errors=True)


def write(path: Path, text: str) -> None:
    """Writes a file that only this user can read, from its first byte on."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
