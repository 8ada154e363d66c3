"""What a comparison keeps for the next one: files of commits, environments, recordings of commits."""

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from operations.errors import CommandError

_COMPLETE = ".complete"
_LOCK = ".lock"
_UNUSED_SECONDS = 30 * 24 * 3600


def cache_directory() -> Path:
    """Return the folder, which exists.

    Raises:
        CommandError: it cannot be made.

    """
    # https://specifications.freedesktop.org/basedir-spec/latest/: a relative path is to be ignored.
    typed = Path(os.environ.get("XDG_CACHE_HOME", ""))
    root = typed if typed.is_absolute() else Path.home() / ".cache"
    directory = root / "dynamo-stack" / "sides"
    try:
        # Recordings are of private repositories.
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(
            f"{directory}, where compared commits are kept, cannot be made: {error.strerror}\n"
            "  try: XDG_CACHE_HOME with a folder that can be written"
        ) from None
    return directory


def made_once(entry: Path, make: Callable[[Path], object]) -> Path:
    """Return a file or folder of the cache, made now where it is not there as a whole.

    A run that ended half way left no mark beside the entry, and what it left is made again. Another run that
    makes the same entry is waited for.
    """
    entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark = entry.with_name(f"{entry.name}{_COMPLETE}")
    with _locked(entry):
        if not mark.exists():
            _remove(entry)
            make(entry)
        # Its time tells when the entry was used last.
        mark.touch()
    return entry


def forget_unused(directory: Path) -> None:
    """Remove what no comparison has used for 30 days."""
    oldest = time.time() - _UNUSED_SECONDS
    for mark in directory.glob(f"*/*{_COMPLETE}"):
        entry = mark.with_name(mark.name.removesuffix(_COMPLETE))
        with _locked(entry):
            if mark.exists() and mark.stat().st_mtime < oldest:
                mark.unlink()
                _remove(entry)


def _remove(entry: Path) -> None:
    if entry.is_dir():
        shutil.rmtree(entry)
    else:
        entry.unlink(missing_ok=True)


@contextmanager
def _locked(entry: Path) -> Iterator[None]:
    # The lock ends with the process, however that ends; its empty file stays.
    with entry.with_name(f"{entry.name}{_LOCK}").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
