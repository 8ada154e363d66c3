"""`python -m lab.lock`: renews the hashed requirement files from pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lab.directory import REPOSITORY
from lab.toolchain.pulled import PULLED
from lab.toolchain.runtime import RUNTIME

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
    """Compiles every lock; returns uv's exit code when it refuses."""
    for name, extra in _LOCKS.items():
        if code := _lock(REPOSITORY / name, _HEADER, "3.11", "pyproject.toml", *extra):
            return code
    # Programs that are installed apart from everything else.
    for program in (RUNTIME, *PULLED.values()):
        major, minor = min(program.pythons)
        header = _PROGRAM_HEADER.format(title=program.title)
        if code := _lock(program.lock, header, f"{major}.{minor}", "-", given=program.requirement):
            return code
    return 0


def _lock(target: Path, header: str, python: str, *source: str, given: str | None = None) -> int:
    command = [str(Path(sys.executable).with_name("uv")), "pip", "compile", *source]
    command += ["--python-version", python, *_OPTIONS]
    answer = subprocess.run(command, cwd=REPOSITORY, input=given, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        print(answer.stderr, file=sys.stderr)
        return answer.returncode
    target.write_text(header + answer.stdout)
    print(f"{target.relative_to(REPOSITORY)}: {answer.stdout.count('==')} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
