"""A worker asks for exactly the GPUs that its engine uses."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.tensorrt_llm import read_tensorrt_llm
from rules.reading.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    settings = read_tensorrt_llm(graph, worker)
    tensor = settings.count("tensor_parallel_size", default=1)
    pipeline = settings.count("pipeline_parallel_size", default=1)
    context = settings.count("context_parallel_size", default=1)
    used = tensor.value * pipeline.value * context.value
    requested = worker.gpus_per_pod * worker.pods_per_worker
    if used == requested:
        return
    asked = f"{requested} GPUs"
    if worker.pods_per_worker > 1:
        asked += f" ({worker.pods_per_worker} pods of {worker.gpus_per_pod})"
    yield failed(
        worker.resource,
        worker.name,
        f"asks for {asked}, but its engine uses {used}: tensor parallelism {tensor.value} ({tensor.source}) "
        f"x pipeline parallelism {pipeline.value} x context parallelism {context.value}",
    )


RULE = Rule(
    id="gpus-match-parallelism",
    title="A worker asks for exactly the GPUs that its engine uses",
    severity=Severity.MANDATORY,
    reason=(
        "With fewer GPUs than tensor x pipeline x context parallelism the engine ends at start; with more, "
        "the rest is paid for and idle. Attention data parallelism and expert parallelism add none."
    ),
    source="NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py; order of settings: ai-dynamo 1.2.1 llm_worker.py",
    fix="Set the worker's GPUs to the product, or tensor_parallel_size to the GPUs.",
    check=_check,
)
