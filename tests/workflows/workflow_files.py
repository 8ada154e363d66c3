"""The workflows as GitHub reads them, and their scripts as its runner starts them."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.directory import REPOSITORY

FOLDER = REPOSITORY / ".github" / "workflows"
NAMES = tuple(sorted(file.name for file in FOLDER.glob("*.yml")))
_EXPRESSION = re.compile(r"\$\{\{ ([\w.]+) \}\}")
_CLOCK = """
import pathlib, time
pauses, passed, now = pathlib.Path(__file__).with_name("pauses"), [], time.time
def sleep(seconds):
    passed.append(seconds)
    with pauses.open("a") as file:
        file.write(f"{seconds}\\n")
time.sleep, time.time = sleep, lambda: now() + sum(passed)
"""
"""Nobody waits for a pause of a script: it is written down, and the script's clock goes on by it."""
_SHELLS = {
    "python": ("python", "py", ()),
    # https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
    "bash": ("bash", "sh", ("-e",)),
}


@dataclass(frozen=True)
class Ended:
    """What the log of a step shows."""

    code: int
    log: str
    pauses: tuple[float, ...] = ()
    """Seconds that a script in Python waited."""


def workflow(name: str) -> dict[str, Any]:
    """A workflow with every scalar as text: `on` is a key here and no truth value."""
    return yaml.load((FOLDER / name).read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506


def jobs(name: str) -> dict[str, Any]:
    return workflow(name)["jobs"]


def steps(name: str) -> Iterator[dict[str, Any]]:
    """The steps of all jobs of a workflow."""
    for job in jobs(name).values():
        yield from job.get("steps", ())


def step(name: str, title: str) -> dict[str, Any]:
    """The step of a workflow that has this name."""
    [found] = [each for each in steps(name) if each.get("name") == title]
    return found


def run_step(
    name: str, title: str, folder: Path, environment: Mapping[str, str], contexts: Mapping[str, str]
) -> Ended:
    """Runs the script of a step as the runner does; its own `env` is filled from `contexts`."""
    found = step(name, title)
    program, ending, flags = _SHELLS[found.get("shell", "bash")]
    script = folder / f"step.{ending}"
    script.write_text(found["run"], encoding="utf-8")
    own = {
        key: _EXPRESSION.sub(lambda match: contexts[match[1]], value)
        for key, value in found.get("env", {}).items()
    }
    pauses = folder / "pauses"
    pauses.write_text("", encoding="utf-8")
    (folder / "sitecustomize.py").write_text(_CLOCK, encoding="utf-8")
    answer = subprocess.run(
        [sys.executable if program == "python" else program, *flags, str(script)],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(folder), **environment, **own},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    waited = tuple(map(float, pauses.read_text(encoding="utf-8").split()))
    return Ended(answer.returncode, answer.stdout + answer.stderr, waited)
