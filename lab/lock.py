"""`python -m lab.lock`: renews the hashed requirement files from pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lab.directory import REPOSITORY
from lab.toolchain.pulled import PULLED
from lab.toolchain.runtime import RUNTIME

if TYPE_CHECKING:
    from lab.toolchain.packages import PublishedProgram

_HEADER = "# Hashed lock, made from pyproject.toml by `make lock`; do not edit.\n"
_PROGRAM_HEADER = "# Hashed lock of {title} (lab/toolchain), made by `make lock`; do not edit.\n"
# Without an index address: whoever installs uses the index that their own machine is set up for.
_OPTIONS = (
    "--generate-hashes",
    "--no-annotate",
    "--no-header",
    "--universal",
    "--no-emit-index-url",
    "--quiet",
)
_LOCKS = {"requirements.txt": (), "requirements-dev.txt": ("--extra", "dev")}


def main() -> int:
    """Compiles both locks; returns uv's exit code when it refuses."""
    uv = Path(sys.executable).with_name("uv")
    for name, extra in _LOCKS.items():
        target = REPOSITORY / name
        command = [str(uv), "pip", "compile", "pyproject.toml", "--python-version", "3.11", *_OPTIONS, *extra]
        answer = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            print(answer.stderr, file=sys.stderr)
            return answer.returncode
        target.write_text(_HEADER + answer.stdout)
        print(f"{name}: {answer.stdout.count('==')} packages")
    return next(filter(None, (_lock_program(uv, each) for each in (RUNTIME, *PULLED.values()))), 0)


def _lock_program(uv: Path, program: PublishedProgram) -> int:
    """Compiles the lock of a program that is installed apart from everything else."""
    major, minor = min(program.pythons)
    command = [str(uv), "pip", "compile", "-", "--python-version", f"{major}.{minor}", *_OPTIONS]
    answer = subprocess.run(command, input=program.requirement, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        print(answer.stderr, file=sys.stderr)
        return answer.returncode
    header = _PROGRAM_HEADER.format(title=program.title)
    program.lock.write_text(header + answer.stdout)
    print(f"{program.lock.relative_to(REPOSITORY)}: {answer.stdout.count('==')} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
