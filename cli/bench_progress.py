"""How far a benchmark is: a bar at a terminal, plain lines elsewhere; always on the error stream."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cli.output import say
from operations.benchmark.aiperf_output import Progress as LoadProgress
from operations.benchmark.recording import PlannedRun
from operations.benchmark.result import Measurement
from recipes.benchmark_load import Load
from resource_graph.printable import printable
from stacks.wording import in_words

_PLAIN_SECONDS = 30.0
"""Between two plain lines of one step."""
_NAMES = {"Warmup": "warming up", "Profiling": "measuring"}


def beforehand(run: PlannedRun) -> str:
    """Return what a run sends, how long it takes at most, and what is installed for it."""
    requests = sum(load.requests for load in run.loads)
    warmup = sum(load.warmup_requests for load in run.loads)
    loads = in_words(len(run.loads), "load")
    minutes = -(-run.seconds * len(run.loads) // 60)
    packages = ", ".join(run.benchmark.packages)
    how = (
        f"a Job in the cluster sends them and installs {packages} into its own folder first"
        if run.in_cluster
        else f"AIPerf {run.aiperf} of this machine sends them, and nothing is installed"
    )
    return f"{requests:,} requests, and {warmup:,} to warm up, in {loads}: {minutes} min at most; {how}"


class BenchProgress:
    """Tells one person about one run."""

    def __init__(self, loads: int) -> None:
        self._loads = loads
        self._number = 0
        self._load = ""
        self._step, self._said_at = "", 0.0
        console = Console(stderr=True)
        name = TextColumn("{task.description}", markup=False)
        columns = (name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console, transient=True) if console.is_terminal else None
        self._task = None if self._bar is None else self._bar.add_task("starting", total=None)

    def __enter__(self) -> "BenchProgress":
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def said(self, text: str) -> None:
        """Print a sentence above the bar."""
        if self._bar is None:
            say(text, error=True)
        else:
            self._bar.console.print(printable(text), markup=False, highlight=False, soft_wrap=True)

    def began(self, load: Load) -> None:
        """Name the load that is sent from now on."""
        self._number += 1
        self._load = f"[{self._number}/{self._loads}] {load.shape} at {load.concurrency}"
        self._step = ""
        self.said(f"{self._load}: {load.requests} requests, after {load.warmup_requests} to warm up")

    def progress(self, progress: LoadProgress) -> None:
        """Show how far the load is."""
        step = _NAMES.get(progress.step, progress.step)
        if self._bar is not None and self._task is not None:
            text = f"{self._load}: {step}"
            self._bar.update(self._task, description=text, completed=progress.done, total=progress.total)
            return
        now = time.monotonic()
        if step == self._step and now - self._said_at < _PLAIN_SECONDS:
            return
        self._step, self._said_at = step, now
        say(f"{self._load}: {step}, {progress.done} of {progress.total}", error=True)

    def measured(self, measured: Measurement) -> None:
        """Say that a load has ended."""
        text = f"{measured.shape} at {measured.concurrency}: {measured.requests} answered"
        if measured.errors:
            text += f", {measured.errors} failed: {measured.first_error}"
        self.said(f"{text}, in {measured.seconds:.0f} s")
