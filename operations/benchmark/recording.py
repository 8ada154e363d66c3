"""What is measured, in a folder for each run, with a file that grows with each result."""

import datetime as dt
import os
from dataclasses import dataclass
from pathlib import Path

from operations.benchmark.aiperf_output import SUMMARY_FILE, read_summary
from operations.benchmark.result import MOCK_NOTE, BenchmarkResult, Engine, Measurement, Outcome
from operations.errors import CommandError
from recipes.benchmark import Benchmark
from recipes.benchmark_load import Load
from recipes.placed import PlacedRecipe

_NEVER_FINISHED = "the command ended before its run had"


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """Everything that is decided before the first request."""

    target: str
    """The stack, or the address."""
    model: str
    benchmark: Benchmark
    loads: tuple[Load, ...]
    seconds: int
    """Longest time of one load."""
    in_cluster: bool
    """AIPerf runs as a Job."""
    engine: Engine
    aiperf: str
    """Version of AIPerf."""
    gpus: int | None = None
    accelerators: tuple[str, ...] = ()
    recipe: str | None = None
    runtime: str | None = None
    note: str | None = None
    placed: PlacedRecipe | None = None
    """The stack's graph; None for an address."""

    @property
    def why_not_per_gpu(self) -> str | None:
        """Why there is no figure per GPU; None where there is one."""
        if self.engine == "mock":
            return "is not measured: a mock engine has no GPU"
        return None if self.gpus else "is not measured: nobody said how many GPUs there are; --gpus does"


class Recording:
    """The results of one run, in a folder of its own."""

    def __init__(self, results: Path, run: PlannedRun) -> None:
        self._run = run
        self._started = _now()
        shapes = "-".join(dict.fromkeys(load.shape.replace("/", "x") for load in run.loads))
        self.folder = make_run_folder(results, self._started, run.target, shapes)
        self._measured: dict[int, Measurement] = {}

    def add(self, number: int, summary: str) -> Measurement:
        """Keep AIPerf's summary of the load of that number, from 1, and return what it says.

        Raises:
            CommandError: it says nothing that can be used.

        """
        folder = self.load_folder(number)
        folder.mkdir(exist_ok=True)
        write_whole(folder / SUMMARY_FILE, summary)
        load = self._run.loads[number - 1]
        place = f"{load.shape} at {load.concurrency}"
        # A mock engine has none.
        gpus = None if self._run.engine == "mock" else self._run.gpus
        self._measured[number] = measured = read_summary(summary, load, gpus, place)
        write_result(self.folder, self._result("failed", _NEVER_FINISHED))
        return measured

    def finish(self, outcome: Outcome, reason: str | None = None) -> BenchmarkResult | None:
        """Write and return the result; None where nothing was measured."""
        if not self._measured:
            return None
        result = self._result(outcome, reason)
        write_result(self.folder, result)
        return result

    def load_folder(self, number: int) -> Path:
        """The folder of AIPerf's own files of a load."""
        load = self._run.loads[number - 1]
        return self.folder / f"{number:02}-{load.shape.replace('/', 'x')}-c{load.concurrency}"

    def _result(self, outcome: Outcome, reason: str | None) -> BenchmarkResult:
        run = self._run
        notes = (MOCK_NOTE if run.engine == "mock" else None, run.note)
        return BenchmarkResult(
            schema_version=1,
            engine=run.engine,
            note="; ".join(filter(None, notes)) or None,
            target=run.target,
            model=run.model,
            recipe=run.recipe,
            runtime=run.runtime,
            gpus=run.gpus,
            accelerators=run.accelerators,
            generator="job" if run.in_cluster else "here",
            aiperf=run.aiperf,
            started=self._started,
            ended=_now(),
            outcome=outcome,
            reason=reason,
            measurements=tuple(self._measured[number] for number in sorted(self._measured)),
        )


RESULT_FILE = "result.json"
_MOST_OF_ONE_NAME = 100


def make_run_folder(results: Path, started: str, target: str, shapes: str) -> Path:
    """Make and return a folder that did not exist: two runs of one second get one each.

    Raises:
        CommandError: the folder cannot be made.

    """
    words = [started.replace("-", "").replace(":", ""), target.rpartition("://")[2], shapes]
    name = "-".join("".join(sign if sign.isalnum() else "-" for sign in word).strip("-") for word in words)
    try:
        results.mkdir(parents=True, exist_ok=True)
        for number in range(1, _MOST_OF_ONE_NAME):
            folder = results / (name if number == 1 else f"{name}-{number}")
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        raise CommandError(f"{results}: no folder for the results can be made: {error.strerror}") from None
    raise CommandError(f"{results}: there are {_MOST_OF_ONE_NAME} folders {name} already")


def write_result(folder: Path, result: BenchmarkResult) -> Path:
    """Write result.json at once, so that nobody reads half of one; return its path."""
    return write_whole(folder / RESULT_FILE, result.model_dump_json(by_alias=True, indent=2) + "\n")


def write_whole(file: Path, text: str) -> Path:
    """Write a file that is there with all of its text or not at all; return its path."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(file)


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
