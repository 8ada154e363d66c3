"""What tests record of times, each beside what it is compared with."""

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
OF_RULES = ("tests/rules/test_speed.py", "tests/policy/test_pack_time.py")
# tests/support/measured.py writes a line here for each rehearsal.
_FILE_VARIABLE = "DAY_TWO_MEASUREMENTS"


@dataclass(frozen=True)
class Measurement:
    """What a test recorded: a rehearsed fault or update, where no model is loaded, or the time of rules."""

    kind: str
    name: str
    seconds: float
    predicted: str
    """What the product had said, or what it is compared with."""


def measurements(tests: tuple[str, ...]) -> list[Measurement]:
    """Runs the tests once and returns what they recorded.

    Raises LabError when one fails: a figure of a broken run would mislead.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "measurements.jsonl"
        answer = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *tests],
            cwd=REPOSITORY,
            env=dict(os.environ) | {_FILE_VARIABLE: str(file)},
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode != 0:
            raise LabError(f"a test failed, so none is measured:\n{answer.stdout}{answer.stderr}")
        return sorted(_read(file), key=lambda each: (each.kind, each.name))


def _read(file: Path) -> list[Measurement]:
    return [Measurement(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
