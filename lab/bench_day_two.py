"""From fault to ready, and how long an update interrupts, beside what the product had said beforehand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lab.directory import REPOSITORY
from lab.errors import LabError

REHEARSALS = ("tests/updates", "tests/faults", "tests/recovery")
# tests/support/measured.py writes a line here for each rehearsal.
_FILE_VARIABLE = "DAY_TWO_MEASUREMENTS"


@dataclass(frozen=True)
class Measurement:
    """One rehearsed fault or update; seconds on the simulated cluster, where no model is loaded."""

    kind: str
    name: str
    seconds: float
    predicted: str


def measurements() -> list[Measurement]:
    """Rehearses every update, fault and recovery once.

    Raises LabError when a rehearsal fails: a figure of a broken run would mislead.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "measurements.jsonl"
        answer = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *REHEARSALS],
            cwd=REPOSITORY,
            env=dict(os.environ) | {_FILE_VARIABLE: str(file)},
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode != 0:
            raise LabError(f"a rehearsal failed, so none is measured:\n{answer.stdout}{answer.stderr}")
        return sorted(_read(file), key=lambda each: (each.kind, each.name))


def _read(file: Path) -> list[Measurement]:
    return [Measurement(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
