"""Runs that found a recipe serving on GPUs, beside the stack files: they alone earn `measured on GPU`."""

import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from recipes.model import Evidence, Level, Recipe
from stacks.errors import Problem, SettingsError

RUNS = Path("evidence.local.csv")


@dataclass(frozen=True, slots=True)
class ServedRun:
    """One run against a deployment whose engine was no mock."""

    date: str
    """Of its end, YYYY-MM-DD, by this machine's clock."""
    command: str
    """smoke, bench or doctor."""
    stack: str
    recipe: str
    runtime: str
    """Version of the Dynamo runtime, or of the engine's own image."""
    accelerator: str
    found: str
    """What came out, in one line."""


def record_run(run: ServedRun, file: Path = RUNS) -> None:
    """Write a run at the end of the file, which is made where there is none."""
    is_new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        if is_new:
            writer.writerow([field.name for field in fields(ServedRun)])
        writer.writerow(astuple(run))


def served_runs(file: Path = RUNS) -> tuple[ServedRun, ...]:
    """Return what was recorded here; nothing where nothing was.

    Raises:
        SettingsError: somebody has changed the file, and a line of it is no run.

    """
    return tuple(_read(file)) if file.exists() else ()


def evidence_on(recipe: Recipe, accelerator: str) -> Evidence:
    """Return how far the recipe was tried on the GPU: by a recorded run, else by this project."""
    own = (run for run in served_runs() if (run.recipe, run.accelerator) == (recipe.name, accelerator))
    latest = max(own, key=lambda run: run.date, default=None)
    if latest is None:
        return recipe.evidence_on(accelerator)
    reason = f"{latest.command} of stack {latest.stack} on {latest.date}, {latest.runtime}: {latest.found}"
    return Evidence(accelerator=accelerator, level=Level.MEASURED, reason=reason)


def _read(file: Path) -> Iterator[ServedRun]:
    for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
        if set(row) != {field.name for field in fields(ServedRun)} or not all(row.values()):
            said = f"line {','.join(str(value) for value in row.values())!r} is no recorded run"
            suggestion = "take the line out, or move the file away"
            raise SettingsError({str(file): [Problem("", None, said, suggestion=suggestion)]})
        yield ServedRun(**row)
