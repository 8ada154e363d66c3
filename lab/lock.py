"""`python -m lab.lock`: renews the hashed requirement files from pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lab.directory import REPOSITORY
from lab.toolchain import runtime

_HEADER = "# Hashed lock, made from pyproject.toml by `make lock`; do not edit.\n"
_RUNTIME_HEADER = (
    "# Hashed lock of the Dynamo runtime (lab/toolchain/runtime.py), made by `make lock`; do not edit.\n"
)
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
    return _lock_runtime(uv)


def _lock_runtime(uv: Path) -> int:
    """Compiles the lock of the Dynamo runtime, which is installed apart from everything else."""
    command = [str(uv), "pip", "compile", "-", "--python-version", "3.10", *_OPTIONS]
    answer = subprocess.run(command, input=runtime.REQUIREMENT, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        print(answer.stderr, file=sys.stderr)
        return answer.returncode
    runtime.LOCK.write_text(_RUNTIME_HEADER + answer.stdout)
    print(f"{runtime.LOCK.relative_to(REPOSITORY)}: {answer.stdout.count('==')} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
