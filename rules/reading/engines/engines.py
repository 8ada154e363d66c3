"""Every worker of TensorRT-LLM with what it runs with, read once however many rules look at it."""

from collections.abc import Mapping

from resource_graph import ResourceGraph
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings, read_tensorrt_llm
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import Unreadable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided

READ_SINCE = (1, 0)
"""The Dynamo release from which on TensorRT-LLM's own code was read: files of January to June 2026, which
agree with each other."""


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
