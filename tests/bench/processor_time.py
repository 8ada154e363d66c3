"""Processor time of commands, each beside a lighter one of the same run."""

from __future__ import annotations

import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lab.directory import REPOSITORY
from lab.errors import LabError

RUNS = 5
_PROGRAM = str(Path(sys.executable).with_name("dynamo-stack"))
_HELP, _LIST = ("--help",), ("list",)
_EKS = "disagg-b200-tcp"
# What is measured, what it is compared with, and below how many seconds it should stay.
_COMPARED = (
    (_LIST, _HELP, 0.6),
    (("check", "--file", "docs/examples/graph.yaml"), _HELP, 0.9),
    *(((command, _EKS), _LIST, 1.8) for command in ("explain", "check", "render")),
)


@dataclass(frozen=True)
class Comparison:
    """The least processor time of a command, beside that of another."""

    name: str
    seconds: float
    should_stay_below: float
    compared_with: str
    compared_seconds: float

    @property
    def ratio(self) -> float:
        """How many times what it is compared with."""
        return round(self.seconds / self.compared_seconds, 2)


def comparisons() -> list[Comparison]:
    """Measures every command several times.

    Raises LabError where a command neither succeeds nor finds something: its time would mislead.
    """
    commands = dict.fromkeys(command for work, base, _ in _COMPARED for command in (base, work))
    least = {command: min(_seconds(command) for _ in range(RUNS)) for command in commands}
    return [
        Comparison(_name(work), round(least[work], 2), below, _name(base), round(least[base], 2))
        for work, base, below in _COMPARED
    ]


def _name(command: tuple[str, ...]) -> str:
    return " ".join(("dynamo-stack", *command))


def _seconds(command: tuple[str, ...]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = subprocess.run([_PROGRAM, *command], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # `check` ends with 1 where a rule fails.
    if answer.returncode not in {0, 1}:
        raise LabError(f"`{_name(command)}` failed:\n{answer.stdout}{answer.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
