"""Runs the product's own Pulumi program in the lab, exactly as a person would type it."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from lab.directory import REPOSITORY, LabDirectory
from lab.environment import sealed_environment
from lab.errors import LabError
from lab.interruption import held
from lab.tool import run


def up(lab: LabDirectory, stack: str) -> dict[str, int]:
    """Runs `pulumi up` with the policy pack and returns the number of resources by kind of change.

    Raises LabError when it fails; what pulumi said is already on the screen.
    """
    _capture(lab, "stack", "select", stack, "--create")
    command = ["up", "--yes", "--stack", stack, "--policy-pack", "policy"]
    if _stream(lab, *command) != 0:
        raise LabError(
            f"`pulumi {' '.join(command)}` failed, see above\n"
            "if an earlier run was killed (a lock, or objects that already exist), `make lab-down` and then "
            "`make lab-up` start afresh; docs/lab.md has the rest"
        )
    history = _capture(lab, "stack", "history", "--stack", stack, "--json", "--page-size", "1")
    latest: list[dict[str, Any]] = json.loads(history.stdout)
    return latest[0].get("resourceChanges") or {}


def destroy(lab: LabDirectory, stack: str) -> bool:
    """Runs `pulumi destroy` if the backend knows the stack; returns whether nothing is left of it."""
    listed = _capture(lab, "stack", "ls", "--json", check=False)
    if listed.returncode != 0 or stack not in {each["name"] for each in json.loads(listed.stdout)}:
        return True
    if _stream(lab, "destroy", "--yes", "--stack", stack) != 0:
        return False
    # Without --preserve-config the CLI deletes the tracked stack file.
    return _capture(lab, "stack", "rm", stack, "--yes", "--preserve-config", check=False).returncode == 0


def _stream(lab: LabDirectory, *arguments: str) -> int:
    command = [str(lab.bin / "pulumi"), *arguments, "--non-interactive", "--suppress-progress"]
    # The engine gets Ctrl-C too, ends what it has begun and gives up its lock; killed, it would keep that.
    with held():
        return subprocess.run(command, cwd=REPOSITORY, env=sealed_environment(lab), check=False).returncode


def _capture(lab: LabDirectory, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    with held():
        return run(lab, "pulumi", *arguments, "--non-interactive", check=check, cwd=REPOSITORY)
