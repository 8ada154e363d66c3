"""How far a benchmark is: one bar at a terminal, and a line for each load; always on the error stream."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from operations.benchmark import aiperf
from operations.benchmark.result import Measurement
from recipes.benchmark import Load
from resource_graph.printable import printable


@dataclass
class BenchProgress:
    """The bar of one run; a console that is no terminal prints the sentences alone."""

    bar: Progress
    task: TaskID
    loads: Sequence[Load]
    begun: int = 0

    def said(self, text: str) -> None:
        """Print a sentence above the bar."""
        self.bar.console.print(printable(text), markup=False, highlight=False, soft_wrap=True)

    def begin_next(self) -> None:
        """Name the load that is sent from now on, where one is left."""
        if self.begun == len(self.loads):
            return
        load = self.loads[self.begun]
        self.begun += 1
        name = f"[{self.begun}/{len(self.loads)}] {load.shape} at {load.concurrency}"
        self.said(f"{name}: {load.requests} requests, after {load.warmup_requests} to warm up")
        self.bar.update(self.task, load=name, step="", completed=0, total=load.requests)

    def moved(self, progress: aiperf.Progress) -> None:
        """Show how far the load is."""
        step, done, total = progress
        self.bar.update(self.task, step=step, completed=done, total=total)

    def measured(self, measured: Measurement) -> None:
        """Say that a load has ended."""
        text = f"{measured.shape} at {measured.concurrency}: {measured.requests} answered"
        if measured.errors:
            text += f", {measured.errors} failed: {measured.first_error}"
        self.said(f"{text}, in {measured.seconds:.0f} s")


@contextmanager
def bench_progress(loads: Sequence[Load]) -> Iterator[BenchProgress]:
    """Show the bar of a run of these loads until the block ends."""
    console = Console(stderr=True)
    name = TextColumn("{task.fields[load]} {task.fields[step]}", markup=False)
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield BenchProgress(bar, bar.add_task("", total=None, load="starting", step=""), loads)
