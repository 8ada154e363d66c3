"""Which files of the program itself differ between two sides of a comparison."""

import re
from pathlib import Path

from comparison.recording import Side
from operations.revisions.git import repository_of

_WITHOUT_CODE = re.compile(
    r"(?:.*/)?Pulumi\.[^/]+\.yaml|recipes/(?:catalogue|models)/.+\.yaml|(?:docs|tests)/.+|[^/]+\.md"
)
"""Files that no side's program executes; of tests none runs in a comparison."""


def changed_code(base: Side, head: Side) -> tuple[str, ...]:
    """Return the files of code or requirements that differ, by their paths from the root.

    They decide what the newer side's recording says, so a reader has to judge them first.

    Raises:
        CommandError: git cannot compare the commits.

    """
    files = repository_of(Path.cwd()).differing_files(str(base.commit), head.commit)
    # A name that is no UTF-8 is not printed as it is.
    names = (each.encode(errors="surrogateescape").decode(errors="replace") for each in files)
    return tuple(each for each in names if _WITHOUT_CODE.fullmatch(each) is None)
