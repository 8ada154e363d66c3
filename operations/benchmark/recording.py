"""What is measured, in a folder for each run, with a file that grows with each result."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operations.benchmark.aiperf import SUMMARY_FILE, read_summary
from operations.benchmark.result import MOCK_NOTE, BenchmarkResult, Engine, Measurement, Outcome
from recipes.benchmark import Load
from recipes.model import Recipe

RESULT_FILE = "result.json"
_NEVER_FINISHED = "the command ended before its run had"


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """Everything that is decided before the first request."""

    begun: BenchmarkResult
    """The result before anything is measured."""
    recipe: Recipe
    """Its benchmark says how the loads are sent."""
    loads: tuple[Load, ...]
    seconds: int
    """Longest time of one load."""

    @property
    def why_not_per_gpu(self) -> str | None:
        """Why there is no figure per GPU; None where there is one."""
        if self.begun.is_mock:
            return "is not measured: a mock engine has no GPU"
        gpus = self.begun.gpus
        return None if gpus else "is not measured: nobody said how many GPUs there are; --gpus does"


def begun_result(engine: Engine, note: str | None = None, **known: Any) -> BenchmarkResult:
    """Return the result of a run that begins now; `known`: what runs, by the keys of the result."""
    now = _now()
    notes = [MOCK_NOTE] if engine == "mock" else []
    notes += [note] if note else []
    return BenchmarkResult(
        schema_version=1,
        engine=engine,
        note="; ".join(notes) or None,
        started=now,
        ended=now,
        outcome="failed",
        reason=_NEVER_FINISHED,
        measurements=(),
        **known,
    )


class Recording:
    """The results of one run, in a folder of its own."""

    def __init__(self, results: Path, run: PlannedRun) -> None:
        self._run = run
        shapes = "-".join(dict.fromkeys(load.shape.replace("/", "x") for load in run.loads))
        time = run.begun.started.replace("-", "").replace(":", "")
        self.folder = results / f"{time}-{_plain(run.begun.target.rpartition('://')[2])}-{shapes}"
        # One that is there already is another run's.
        self.folder.mkdir(parents=True)
        self._measured: list[Measurement] = []

    def add(self, summary: str) -> Measurement:
        """Keep AIPerf's summary of the load that was next, and return what it says.

        Raises:
            CommandError: it says nothing that can be used.

        """
        folder = self.next_folder
        folder.mkdir(exist_ok=True)
        (folder / SUMMARY_FILE).write_text(summary, encoding="utf-8")
        # A mock engine has none.
        gpus = None if self._run.begun.is_mock else self._run.begun.gpus
        self._measured.append(read_summary(summary, self._next, gpus))
        self._write("failed", _NEVER_FINISHED)
        return self._measured[-1]

    def finish(self, outcome: Outcome, reason: str | None = None) -> BenchmarkResult | None:
        """Write and return the result; None where nothing was measured."""
        if not self._measured:
            return None
        return self._write(outcome, reason)

    @property
    def next_folder(self) -> Path:
        """The folder of AIPerf's own files of the load that is next."""
        number, load = len(self._measured) + 1, self._next
        return self.folder / f"{number:02}-{load.shape.replace('/', 'x')}-c{load.concurrency}"

    @property
    def _next(self) -> Load:
        return self._run.loads[len(self._measured)]

    def _write(self, outcome: Outcome, reason: str | None) -> BenchmarkResult:
        measured = tuple(self._measured)
        ended = {"ended": _now(), "outcome": outcome, "reason": reason, "measurements": measured}
        result = self._run.begun.model_copy(update=ended)
        text = result.model_dump_json(by_alias=True, indent=2)
        (self.folder / RESULT_FILE).write_text(f"{text}\n", encoding="utf-8")
        return result


def _plain(target: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in target)


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
