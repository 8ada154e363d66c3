"""`python -m tests.bench`: how long the everyday commands take, beside what they may take.

Whole processes: wall time, the median of several runs, and the least processor time. Nothing fails on a slow
machine: a figure over its budget is marked, and a person decides. The cold figure compiles every tool and
takes a quarter of an hour, so it is taken only with --cold, in a clone with an empty HOME of its own.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from lab.directory import REPOSITORY
from lab.errors import LabError
from tests.bench import frontend
from tests.bench.previews import preview_projects

PROGRAM = str(Path(sys.executable).with_name("dynamo-stack"))
COMMANDS = (
    ("list", 0.9),
    ("check --file docs/examples/graph.yaml", 1.5),
    ("render dev", 1.5),
    ("render disagg-gb200-two-trays", 3.0),
    ("check disagg-gb200-two-trays", 3.0),
    ("check disagg-b200-tcp", 3.0),
    ("explain disagg-gb200-two-trays", 3.0),
    ("report disagg-gb200-two-trays --to {folder}/page.html", 3.0),
)
"""What is typed after `dynamo-stack`, and below how many seconds it should stay."""
FINDINGS = {"diff": {0, 1, 2}, "check": {0, 1}}
"""Exit codes that say what a command has found."""
OF_RULES = ("tests/rules/test_speed.py", "tests/policy/test_pack_time.py")
REHEARSALS = ("tests/updates", "tests/faults", "tests/recovery")


TITLES = {
    "commands": "Commands: median of wall time, least processor time",
    "frontend": f"Real frontend, mock engine at its fastest, {frontend.TOKENS} tokens a request",
    "rules": "Rules: seconds of the larger, and what it is compared with",
    "dayTwo": "Day two, simulated: no model is loaded; and what the product had said",
}


@dataclass(frozen=True)
class Figure:
    """One measured command; seconds of wall time."""

    name: str
    budget_seconds: float
    seconds: float
    runs: int
    processor_seconds: float
    """The least of all runs."""


def main(
    cold: Annotated[bool, typer.Option(help="Also measure from nothing: compiles every tool.")] = False,
    with_tests: Annotated[bool, typer.Option(help="Also measure make check and make test.")] = True,
    day_two: Annotated[bool, typer.Option(help="Also rehearse updates, faults and recovery.")] = True,
) -> None:
    """Measure, print tables on the error stream and JSON on standard output."""
    parts: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "commands": lambda: [asdict(each) for each in _figures(cold=cold, with_tests=with_tests)],
        "frontend": lambda: [asdict(each) for each in frontend.loads()],
        "rules": lambda: _recorded(OF_RULES),
        "dayTwo": lambda: _recorded(REHEARSALS) if day_two else [],
    }
    measured: dict[str, Any] = {"machine": frontend.machine()}
    for name, measure in parts.items():
        try:
            measured[name] = measure()
        except LabError as error:
            print(f"bench: {error}", file=sys.stderr)
            raise SystemExit(1) from None
        # At once: what fails after it does not take it away.
        _print(TITLES[name], measured[name])
    print(json.dumps(measured, indent=2))


def _figures(*, cold: bool, with_tests: bool) -> list[Figure]:
    figures = [*_commands(), *_previews(), _lab_up_warm()]
    if with_tests:
        figures += [
            _measure(f"make {each}, warm", budget, 1, ["make", each])
            for each, budget in (("check", 90), ("test", 360))
        ]
    if cold:
        figures.append(_lab_up_cold())
    return figures


def _commands() -> list[Figure]:
    # The first one fills caches that every later one finds.
    _run([PROGRAM, "render", "dev"])
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        for typed, budget in COMMANDS:
            words = typed.format(folder=folder).split()
            figures.append(_measure(f"dynamo-stack {typed}", budget, 5, [PROGRAM, *words]))
        # All stacks, the last commit against the files here.
        cache = {"XDG_CACHE_HOME": folder}
        for what, budget, runs in (("nothing cached", 40.0, 1), ("the older side cached", 8.0, 3)):
            name = f"dynamo-stack diff of all stacks, {what}"
            figures.append(_measure(name, budget, runs, [PROGRAM, "diff", "HEAD"], cache))
    return figures


def _previews() -> list[Figure]:
    measured: list[Figure] = []
    with preview_projects() as (projects, pulumi, variables):
        for project in projects:
            command = [*pulumi, "--cwd", str(project)]
            _run([*command, "stack", "init", project.name], variables)
            preview = [*command, "preview", "--stack", project.name]
            # The first one fills caches that every later one finds.
            _run(preview, variables)
            measured.append(_measure(f"pulumi preview, stack {project.name}", 0, 5, preview, variables))
    toy, dev, one_tray, many_trays = measured
    # Budgets are twice the preview of a program with one ConfigMap, and a fifth more than that of one tray.
    return [
        replace(dev, budget_seconds=round(2 * toy.seconds, 2)),
        replace(many_trays, budget_seconds=round(1.2 * one_tray.seconds, 2)),
    ]


def _lab_up_warm() -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        variables = {"LAB_DIR": str(Path(folder) / "lab")}
        try:
            return _measure("make lab-up, tools built, to an answer", 45, 1, ["make", "lab-up"], variables)
        finally:
            _run(["make", "lab-down"], variables)


def _lab_up_cold() -> Figure:
    folder = Path(tempfile.mkdtemp())
    make, variables = ["make", "-C", str(folder / "clone")], {"HOME": str(folder / "home")}
    (folder / "home").mkdir()
    try:
        _run(["git", "clone", "--quiet", str(REPOSITORY), str(folder / "clone")])
        figure = _measure("make lab-up, from nothing", 600, 1, [*make, "lab-up"], variables)
        _run([*make, "lab-down"], variables)
    finally:
        # Go writes its module cache read-only.
        subprocess.run(["/bin/chmod", "-R", "u+w", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    return figure


def _measure(
    name: str, budget: float, runs: int, command: list[str], variables: dict[str, str] | None = None
) -> Figure:
    wall: list[float] = []
    processor: list[float] = []
    for _ in range(runs):
        started, used = time.monotonic(), _processor_seconds()
        _run(command, variables)
        wall.append(time.monotonic() - started)
        processor.append(_processor_seconds() - used)
    return Figure(name, budget, round(statistics.median(wall), 2), runs, round(min(processor), 2))


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _recorded(tests: Iterable[str]) -> list[dict[str, Any]]:
    """Run tests once, and return what tests/support/measured.py has written of them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "measurements.jsonl"
        _run([sys.executable, "-m", "pytest", "-q", *tests], {"DAY_TWO_MEASUREMENTS": str(file)})
        lines = file.read_text(encoding="utf-8").splitlines()
    return sorted(map(json.loads, lines), key=lambda each: (each["kind"], each["name"]))


def _run(command: list[str], variables: dict[str, str] | None = None) -> None:
    """Run it; raises LabError where it fails: its time would mislead."""
    # A clone has settings of its own: those of the make that runs this one must not reach it.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    answer = subprocess.run(
        command,
        cwd=REPOSITORY,
        env=inherited | (variables or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    may_end_with = FINDINGS.get(command[1], {0}) if command[0] == PROGRAM else {0}
    if answer.returncode not in may_end_with:
        raise LabError(
            f"`{' '.join(command)}` failed (exit {answer.returncode}); no figure is given\n"
            f"{answer.stdout}{answer.stderr}"
        )


def _print(title: str, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    table = Table(*(name.replace("_", " ") for name in rows[0]), "", title=title)
    for row in rows:
        over = row["seconds"] > row["budget_seconds"] if "budget_seconds" in row else False
        table.add_row(*map(str, row.values()), "over budget" if over else "")
    Console(stderr=True).print(table)


if __name__ == "__main__":
    typer.run(main)
