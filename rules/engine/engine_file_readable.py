"""The engine file that a worker names exists in its ConfigMap and is a YAML mapping."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.containers import EngineFileProblem
from rules.reading.tensorrt_llm import is_tensorrt_llm, read_tensorrt_llm
from rules.reading.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    if not is_tensorrt_llm(worker):
        return
    try:
        read_tensorrt_llm(graph, worker)
    except EngineFileProblem as problem:
        yield failed(worker.resource, worker.name, str(problem))


RULE = Rule(
    id="engine-file-readable",
    title="A worker's engine settings can be read by the engine",
    severity=Severity.MANDATORY,
    reason="The worker ends at start when its engine file is missing, is no YAML or is no mapping.",
    source="ai-dynamo 1.2.1 dynamo/trtllm/workers/llm_worker.py",
    fix="Correct the file in the ConfigMap, or the path in --extra-engine-args.",
    check=_check,
)
