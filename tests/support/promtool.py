"""Prometheus' own promtool, out of the lab's tools."""

import subprocess
from pathlib import Path

from lab.toolchain.build import cache_directory, executables


def promtool(folder: Path, *words: str) -> None:
    """Run it on files of the folder; fails with what it says."""
    program = str(executables(cache_directory())["promtool"])
    answer = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
