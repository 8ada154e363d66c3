"""Which files of the program itself differ between two sides of a comparison."""

import filecmp
import os
import re
from collections.abc import Iterator
from pathlib import Path

from comparison.recording import Side
from operations.revisions.git import repository_of

_WITHOUT_CODE = re.compile(
    r"(?:.*/)?Pulumi\.[^/]+\.yaml|recipes/(?:catalogue|models)/.+\.yaml|(?:docs|tests)/.+|[^/]+\.md"
)
"""Files that no side's program executes; of tests none runs in a comparison."""
_NOT_OF_THE_PROGRAM = frozenset({".git", ".venv", "__pycache__", "build", "node_modules"})


def changed_code(base: Side, head: Side) -> tuple[str, ...]:
    """Return the files of code or requirements that differ, by their paths from the root.

    They decide what the newer side's recording says, so a reader has to judge them first.

    Raises:
        CommandError: git cannot compare the commits.

    """
    if base.commit is not None:
        files = repository_of(Path.cwd()).differing_files(base.commit, head.commit)
    elif not (Path(head.label) / "cli").is_dir():
        # Stack files alone, which this process's own code reads.
        return ()
    else:
        files = tuple(sorted(_of_folders(Path(base.label), Path(head.label))))
    # A name that is no UTF-8 is not printed as it is.
    names = (each.encode(errors="surrogateescape").decode(errors="replace") for each in files)
    return tuple(each for each in names if _WITHOUT_CODE.fullmatch(each) is None)


def _of_folders(base: Path, head: Path) -> Iterator[str]:
    names = {file.relative_to(folder) for folder in (base, head) for file in _files(folder)}
    for name in names:
        older, newer = base / name, head / name
        if not (older.is_file() and newer.is_file() and filecmp.cmp(older, newer, shallow=False)):
            yield name.as_posix()


def _files(folder: Path) -> Iterator[Path]:
    # A link into another folder is no code of this one, and could lead in a circle.
    for directory, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each not in _NOT_OF_THE_PROGRAM]
        yield from (Path(directory) / each for each in files)
