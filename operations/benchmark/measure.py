"""Sends the loads of a run, as a Job in the cluster or from this machine."""

from operations.benchmark.aiperf_here import AIPerfProgram
from operations.benchmark.job_run import BenchmarkJob
from operations.benchmark.progress import BenchProgress
from operations.benchmark.recording import PlannedRun, Recording
from operations.cluster_commands import ClusterCommands
from operations.errors import CommandError
from recipes.aiperf_command import Endpoint
from recipes.benchmark_job import benchmark_job


def measure_here(
    run: PlannedRun,
    program: AIPerfProgram,
    endpoint: Endpoint,
    recording: Recording,
    progress: BenchProgress,
) -> None:
    """Send every load with the AIPerf of this machine.

    Raises:
        CommandError: AIPerf failed, or took too long.

    """
    for number, load in enumerate(run.loads, 1):
        progress.began(load)
        folder = recording.load_folder(number)
        summary = program.measure(
            run.benchmark, load, endpoint, folder, seconds=run.seconds, report=progress.moved
        )
        progress.measured(recording.add(number, summary))


def measure_in_cluster(
    run: PlannedRun, cluster: ClusterCommands, recording: Recording, progress: BenchProgress
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
        progress.measured(recording.add(number, summary))
        if number < len(run.loads):
            progress.began(run.loads[number])

    progress.began(run.loads[0])
    BenchmarkJob(cluster, manifest, len(run.loads), progress, received).run()
