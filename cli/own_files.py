"""Files that a command writes, and knows again by the first line that it gave them."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from stacks.errors import Problem, SettingsError


def is_own(file: Path, mark: str) -> bool:
    """Whether this project wrote the file, by the mark at its beginning."""
    # Written through a link, the text would land in another folder.
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as content:
        return content.read(len(mark)) == mark.encode()


def refuse_foreign(files: Iterable[Path], mark: str, *, suggestion: str) -> None:
    """End before anything is written where somebody else's file is in the way.

    Raises:
        SettingsError: names every such file.

    """
    foreign = [file for file in files if os.path.lexists(file) and not is_own(file, mark)]
    if foreign:
        raise SettingsError({str(file): [_not_ours(file, mark, suggestion)] for file in foreign})


def write_files(directory: Path, files: Mapping[str, str], mark: str) -> None:
    """Write the texts, each below the mark, by their paths in the directory; a link is replaced.

    Raises:
        SettingsError: something cannot be written.

    """
    try:
        for name, text in files.items():
            file = directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.is_symlink():
                file.unlink()
            file.write_text(f"{mark}\n{text}", encoding="utf-8")
    except OSError as error:
        problem = Problem("", None, f"cannot be written: {error.strerror}")
        raise SettingsError({str(error.filename or directory): [problem]}) from error


def _not_ours(file: Path, mark: str, suggestion: str) -> Problem:
    command = mark.split("`")[1]
    found = "a link that leads elsewhere" if file.is_symlink() else f"not what `{command}` wrote"
    return Problem("", None, f"is {found}, so nothing was written", suggestion=suggestion)
