"""Sends the loads of a run, as a Job in the cluster or from this machine."""

from collections.abc import Callable
from dataclasses import dataclass

from operations.benchmark.aiperf_here import AIPerfProgram
from operations.benchmark.aiperf_output import Progress
from operations.benchmark.job_run import BenchmarkJob, JobEvents
from operations.benchmark.recording import PlannedRun, Recording
from operations.benchmark.result import Measurement
from operations.cluster_commands import ClusterCommands
from operations.errors import CommandError
from recipes.aiperf_command import Endpoint
from recipes.benchmark_job import benchmark_job
from recipes.benchmark_load import Load


@dataclass(frozen=True)
class Watcher:
    """Who is told what happens while loads are sent."""

    said: Callable[[str], None]
    began: Callable[[Load], None]
    progress: Callable[[Progress], None]
    measured: Callable[[Measurement], None]


def measure_here(
    run: PlannedRun, program: AIPerfProgram, endpoint: Endpoint, recording: Recording, watcher: Watcher
) -> None:
    """Send every load with the AIPerf of this machine.

    Raises:
        CommandError: AIPerf failed, or took too long.

    """
    for number, load in enumerate(run.loads, 1):
        watcher.began(load)
        folder = recording.load_folder(number)
        summary = program.measure(
            run.benchmark, load, endpoint, folder, seconds=run.seconds, report=watcher.progress
        )
        watcher.measured(recording.add(number, summary))


def measure_in_cluster(
    run: PlannedRun, cluster: ClusterCommands, recording: Recording, watcher: Watcher
) -> None:
    """Send every load from one Job.

    Raises:
        CommandError: the Job is there already, does not start or fails.

    """
    placed = run.placed
    if placed is None:
        raise CommandError("a Job measures a stack, not an address")
    manifest = benchmark_job(placed, loads=run.loads, deadline_seconds=run.seconds * len(run.loads))

    def received(number: int, summary: str) -> None:
        watcher.measured(recording.add(number, summary))
        if number < len(run.loads):
            watcher.began(run.loads[number])

    events = JobEvents(watcher.said, watcher.progress, received)
    watcher.began(run.loads[0])
    BenchmarkJob(cluster, manifest, len(run.loads), events).run()
