"""`python -m tests.bench`: how long the everyday commands take, beside what they may take.

Whole processes, wall time, the median of several runs. Nothing fails on a slow machine: a figure over
its budget is marked, and a person decides. The cold figures compile every tool and take a quarter of
an hour, so they run only with --cold, in a clone with an empty HOME of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from lab.directory import REPOSITORY
from lab.errors import LabError
from tests.bench import frontend, previews, processor_time, recorded

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAKE = "make"


@dataclass(frozen=True)
class Figure:
    """One measured command; seconds of wall time."""

    name: str
    budget_seconds: float
    seconds: float
    runs: int

    @property
    def is_within_budget(self) -> bool:
        """Whether the median is not over the budget."""
        return self.seconds <= self.budget_seconds


def main(
    cold: Annotated[bool, typer.Option(help="Also measure from nothing: compiles every tool.")] = False,
    with_tests: Annotated[bool, typer.Option(help="Also measure make check and make test.")] = True,
    day_two: Annotated[bool, typer.Option(help="Also rehearse updates, faults and recovery.")] = True,
) -> None:
    """Measure, print tables on the error stream and JSON on standard output."""
    figures = [
        *_commands(),
        _report(),
        *_comparisons(),
        _preview(),
        _preview_of_a_thousand_gpus(),
        _lab_up_warm(),
    ]
    if with_tests:
        figures.append(_measure("make check, warm", 60, 1, [_MAKE, "check"]))
        figures.append(_measure("make test, warm", 480, 1, [_MAKE, "test"]))
    if cold:
        figures.append(_lab_up_cold())
    _print(figures)
    with _ending_in_words():
        compared = processor_time.comparisons()
        loads = frontend.loads()
    rules = _recorded(recorded.OF_RULES)
    _print_compared(compared)
    _print_loads(loads)
    _print_recorded("Rules: seconds of the larger", "compared with", rules)
    rehearsed = _recorded(recorded.REHEARSALS) if day_two else []
    if rehearsed:
        _print_recorded("Day two, simulated: no model is loaded", "what the product had said", rehearsed)
    everything = {
        "machine": frontend.machine(),
        "commands": [asdict(figure) for figure in figures],
        "processorTime": [asdict(each) | {"ratio": each.ratio} for each in compared],
        "frontend": [asdict(each) for each in loads],
        "rules": [asdict(each) for each in rules],
        "dayTwo": [asdict(each) for each in rehearsed],
    }
    print(json.dumps(everything, indent=2))


def _recorded(tests: tuple[str, ...]) -> list[recorded.Measurement]:
    with _ending_in_words():
        return recorded.measurements(tests)


@contextmanager
def _ending_in_words() -> Iterator[None]:
    try:
        yield
    except LabError as error:
        print(f"bench: {error}", file=sys.stderr)
        raise SystemExit(1) from None


def _commands() -> list[Figure]:
    program = _program()
    _run([program, "render", "dev"])
    return [
        _measure(f"dynamo-stack {command} {stack}", budget, 5, [program, command, stack])
        for command, stack, budget in (
            ("render", "dev", 1.5),
            ("render", "disagg-gb200-two-trays", 3.0),
            ("check", "disagg-gb200-two-trays", 3.0),
            ("check", "disagg-b200-tcp", 3.0),
            ("explain", "disagg-gb200-two-trays", 3.0),
        )
    ]


def _report() -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        command = [_program(), "report", "disagg-gb200-two-trays", "--to", str(Path(folder) / "page.html")]
        return _measure("dynamo-stack report disagg-gb200-two-trays", 3.0, 5, command)


def _comparisons() -> list[Figure]:
    """All stacks, the last commit against the files here."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {"XDG_CACHE_HOME": folder}
        command = [_program(), "diff", "HEAD"]
        return [
            _measure(f"dynamo-stack diff of all stacks, {what}", budget, runs, command, variables)
            for what, budget, runs in (("nothing cached", 40.0, 1), ("the older side cached", 8.0, 3))
        ]


def _program() -> str:
    return str(Path(sys.executable).with_name("dynamo-stack"))


def _preview() -> Figure:
    stack = "dev"
    ours, toy = previews.preview_seconds(stack)
    # The budget is twice the preview of a program with one ConfigMap, measured beside it.
    return Figure(f"pulumi preview --stack {stack}", round(2 * toy, 2), ours, previews.RUNS)


def _preview_of_a_thousand_gpus() -> Figure:
    one, many = previews.preview_seconds_by_trays("agg-gb200", 1, 250)
    # The budget is a fifth more than the preview of one tray, measured beside it.
    return Figure("pulumi preview of 250 trays", round(1.2 * one, 2), many, previews.RUNS)


def _lab_up_warm() -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        variables = {"LAB_DIR": str(Path(folder) / "lab")}
        try:
            return _measure("make lab-up, tools built, to an answer", 45, 1, [_MAKE, "lab-up"], variables)
        finally:
            _run([_MAKE, "lab-down"], variables)


def _lab_up_cold() -> Figure:
    folder = Path(tempfile.mkdtemp())
    clone = folder / "clone"
    variables = {"HOME": str(folder / "home")}
    (folder / "home").mkdir()
    try:
        _run(["git", "clone", "--quiet", str(REPOSITORY), str(clone)])
        figure = _measure(
            "make lab-up, from nothing", 18 * 60, 1, [_MAKE, "-C", str(clone), "lab-up"], variables
        )
        _run([_MAKE, "-C", str(clone), "lab-down"], variables)
    finally:
        # Go writes its module cache read-only.
        subprocess.run(["/bin/chmod", "-R", "u+w", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    return figure


def _measure(
    name: str, budget: float, runs: int, command: list[str], variables: dict[str, str] | None = None
) -> Figure:
    seconds: list[float] = []
    for _ in range(runs):
        started = time.monotonic()
        _run(command, variables)
        seconds.append(time.monotonic() - started)
    return Figure(name, budget, round(statistics.median(seconds), 2), runs)


def _run(command: list[str], variables: dict[str, str] | None = None) -> None:
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
    # A comparison's own 1 and 2 say what it has found.
    if answer.returncode not in ({0, 1, 2} if "diff" in command else {0}):
        print(answer.stdout + answer.stderr, file=sys.stderr)
        print(
            f"bench: `{' '.join(command)}` failed (exit {answer.returncode}); no figure is given",
            file=sys.stderr,
        )
        raise SystemExit(1)


def _print(figures: list[Figure]) -> None:
    table = Table("command", "median s", "budget s", "runs", "")
    for figure in figures:
        mark = "" if figure.is_within_budget else "over budget"
        table.add_row(
            figure.name, f"{figure.seconds:.2f}", f"{figure.budget_seconds:.1f}", str(figure.runs), mark
        )
    Console(stderr=True).print(table)


def _print_compared(compared: list[processor_time.Comparison]) -> None:
    table = Table("command", "s", "should stay below", "compared with", "s", "ratio", title="Processor time")
    for each in compared:
        table.add_row(
            each.name,
            f"{each.seconds:.2f}",
            f"{each.should_stay_below:.1f}",
            each.compared_with,
            f"{each.compared_seconds:.2f}",
            f"{each.ratio:.1f}",
        )
    Console(stderr=True).print(table)


def _print_loads(loads: list[frontend.Load]) -> None:
    title = f"Real frontend, mock engine at its fastest, {frontend.TOKENS} tokens a request"
    table = Table("streams", "requests/s", "first token ms", "request ms", "slowest 1% ms", title=title)
    for each in loads:
        times = (each.first_token_milliseconds, each.milliseconds, each.slowest_hundredth_milliseconds)
        table.add_row(
            str(each.streams), f"{each.requests_per_second:.1f}", *(f"{time:.0f}" for time in times)
        )
    Console(stderr=True).print(table)


def _print_recorded(title: str, compared_with: str, measured: list[recorded.Measurement]) -> None:
    table = Table("kind", "what", "seconds", compared_with, title=title)
    for each in measured:
        table.add_row(each.kind, each.name, f"{each.seconds:.1f}", each.predicted)
    Console(stderr=True).print(table)


if __name__ == "__main__":
    typer.run(main)
