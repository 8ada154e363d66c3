"""Files that a command writes, and knows again by the first line that it gave them."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from stacks.errors import Problem, SettingsError


def is_own(file: Path, mark: str) -> bool:
    """Whether this project wrote the file, by the mark at its beginning."""
    # Written through a link, the text would land in another folder.
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as content:
        return content.read(len(mark)) == mark.encode()


def write_files(directory: Path, files: Mapping[str, str], mark: str, *, suggestion: str) -> None:
    """Write the texts, each below the mark, by their paths in the directory.

    Raises:
        SettingsError: files of somebody else are in the way, and nothing was written.
        OSError: one cannot be written.

    """
    if directory.exists() and not directory.is_dir():
        raise SettingsError({str(directory): [Problem("", None, "is no folder", suggestion=suggestion)]})
    there = [file for name in files if os.path.lexists(file := directory / name)]
    if foreign := [file for file in there if not is_own(file, mark)]:
        raise SettingsError({str(file): [_not_ours(file, mark, suggestion)] for file in foreign})
    for name, text in files.items():
        file = directory / name
        with writing(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{mark}\n{text}", encoding="utf-8")


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """Name the file of which a disk that is full says nothing."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(file)
        raise


def _not_ours(file: Path, mark: str, suggestion: str) -> Problem:
    command = mark.split("`")[1]
    found = "a link that leads elsewhere" if file.is_symlink() else f"not what `{command}` wrote"
    return Problem("", None, f"is {found}, so nothing was written", suggestion=suggestion)
