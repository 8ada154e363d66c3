"""Runs a tool of the lab, such as kubectl, in the lab's sealed environment."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

from lab.environment import sealed_environment
from lab.errors import LabError

if TYPE_CHECKING:
    from lab.directory import LabDirectory


def run(
    lab: LabDirectory, *command: str, check: bool = True, **options: Any
) -> subprocess.CompletedProcess[str]:
    """What the tool said; `options` are those of subprocess.run. Raises LabError for a checked failure."""
    answer = subprocess.run(
        [str(lab.bin / command[0]), *command[1:]],
        env=sealed_environment(lab),
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    if check and answer.returncode != 0:
        said = (answer.stdout + answer.stderr).strip()
        raise LabError(f"`{' '.join(command[:3])}` failed (exit {answer.returncode}):\n{said}")
    return answer
