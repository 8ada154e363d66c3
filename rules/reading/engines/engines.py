"""Every worker of TensorRT-LLM with what it runs with, read once however many rules look at it."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import Observation, undecided
from rules.reading.engines.runtime_version import known_lines
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings, is_tensorrt_llm, read_tensorrt_llm
from rules.reading.once import once_per_graph
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.pods import Unreadable
from rules.reading.pods.workers import Worker, check_workers, read_workers
from rules.reading.shapes import Undecided

READ_SINCE = (1, 0)
"""The Dynamo release from which on TensorRT-LLM's own code was read: files of January to June 2026, which
agree with each other."""


def check_tensorrt_llm(
    graph: ResourceGraph, check: Callable[[Worker, TensorRtLlmSettings], Iterable[Observation]]
) -> Iterator[Observation]:
    """Apply a check to every worker that starts TensorRT-LLM; what cannot be read is undecided.

    A file that the engine itself could not read is left to the rule about such files: it fails there, and
    nobody can say more.
    """

    def check_worker(worker: Worker) -> Iterator[Observation]:
        if not is_tensorrt_llm(worker):
            return
        try:
            settings = engine_settings(graph, worker)
        except EngineFileProblem:
            return
        yield from check(worker, settings)

    return check_workers(graph, check_worker)


def as_read(worker: Worker, found: Iterable[Observation]) -> Iterator[Observation]:
    """What was found of a worker's TensorRT-LLM; undecided where the image is older than what was read."""
    lines = known_lines(worker.container, worker.described_by)
    if not lines or lines[-1] >= READ_SINCE:
        yield from found
        return
    reason = f"TensorRT-LLM was read as of {READ_SINCE[0]}.{READ_SINCE[1]}, and the image is older"
    for observation in found:
        message = f"{observation.message}; {reason}"
        yield undecided(observation.resource, observation.subject, message)


def engine_settings(graph: ResourceGraph, worker: Worker) -> TensorRtLlmSettings:
    """What the worker's engine runs with.

    Raises:
        EngineFileProblem: its engine file or override cannot be what the engine needs.
        Undecided: it starts no engine that can be read here, or several.
    """
    found = _all_settings(graph)[worker]
    if isinstance(found, Undecided):
        raise found
    return found


@once_per_graph
def _all_settings(graph: ResourceGraph) -> Mapping[Worker, TensorRtLlmSettings | Undecided]:
    found: dict[Worker, TensorRtLlmSettings | Undecided] = {}
    for worker in read_workers(graph):
        if isinstance(worker, Unreadable):
            continue
        try:
            found[worker] = read_tensorrt_llm(graph, worker)
        except Undecided as reason:
            found[worker] = reason
    return found
