"""Whether the tests of the lab are still to be run: `python -m tests.lab.green`.

`make conformance` writes the digest of what it tried into a committed file once all tests were green. Where
the files are still those, the tests would say the same again.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

from lab.directory import REPOSITORY

TRIED = ("lab", "tests/lab", "tests/support", "tests/conftest.py", "requirements-dev.txt")
"""What is tried. A change of the product alone is judged by the product's tests."""
GREEN = "tests/lab/green.txt"


def digest(repository: Path) -> str:
    """Return a digest of the names and contents of all these files, as they lie in the work tree."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *TRIED]
    listed = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout
    content = hashlib.sha256()
    for name in sorted(set(listed.split("\0")) - {"", GREEN}):
        file = repository / name
        if file.is_file():
            content.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return content.hexdigest()


def is_green(repository: Path) -> bool:
    """Return whether the last green run of the lab's tests tried these very files."""
    recorded = repository / GREEN
    return recorded.is_file() and recorded.read_text().strip() == digest(repository)


def main(arguments: list[str]) -> int:
    """Print the digest, or say whether the tests are needed: exit code 0 where not, 1 where they are."""
    if arguments == ["digest"]:
        print(digest(REPOSITORY))
        return 0
    if is_green(REPOSITORY):
        print(f"conformance: the lab and its tests are as in the last green run ({GREEN}); not run again")
        return 0
    print(f"conformance: the lab or its tests differ from the last green run ({GREEN}); running them")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
