"""A worker asks for exactly the GPUs that its engine uses."""

import math
from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.tensorrt_llm import Count, read_tensorrt_llm
from rules.reading.vllm import is_vllm, read_vllm
from rules.reading.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    factors = _factors(graph, worker)
    used = math.prod(count.value for _, count in factors)
    requested = worker.gpus_per_pod * worker.pods_per_worker
    if used == requested:
        return
    asked = f"{requested} GPUs"
    if worker.pods_per_worker > 1:
        asked += f" ({worker.pods_per_worker} pods of {worker.gpus_per_pod})"
    product = " x ".join(f"{name} {count.value} ({count.source})" for name, count in factors)
    yield failed(worker.resource, worker.name, f"asks for {asked}, but its engine uses {used}: {product}")


def _factors(graph: ResourceGraph, worker: Worker) -> Sequence[tuple[str, Count]]:
    """What the engine multiplies to its GPUs."""
    if is_vllm(worker):
        return _vllm_factors(graph, worker)
    settings = read_tensorrt_llm(graph, worker)
    return [
        ("tensor parallelism", settings.count("tensor_parallel_size", default=1)),
        ("pipeline parallelism", settings.count("pipeline_parallel_size", default=1)),
        ("context parallelism", settings.count("context_parallel_size", default=1)),
    ]


def _vllm_factors(graph: ResourceGraph, worker: Worker) -> Sequence[tuple[str, Count]]:
    settings = read_vllm(graph, worker)
    data = "--data-parallel-size"
    # A single pod has the local ranks; those of other nodes are other pods' own.
    is_local = worker.pods_per_worker == 1 and settings.at(f"{data}-local") is not None
    return [
        ("tensor parallelism", settings.count("--tensor-parallel-size", 1)),
        ("pipeline parallelism", settings.count("--pipeline-parallel-size", 1)),
        ("data parallelism", settings.count(f"{data}-local" if is_local else data, 1)),
    ]


RULE = Rule(
    id="gpus-match-parallelism",
    title="A worker asks for exactly the GPUs that its engine uses",
    severity=Severity.MANDATORY,
    reason=(
        "With fewer GPUs than the engine's own product of parallelisms it ends at start; with more, the rest "
        "is paid for and idle. TensorRT-LLM multiplies tensor, pipeline and context parallelism, where "
        "attention data parallelism and expert parallelism add none; vLLM multiplies tensor, pipeline and "
        "local data parallelism."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py at 05ebebb; order of settings: ai-dynamo 1.2.1 "
        "llm_worker.py; vllm 0.20.1 vllm/config/parallel.py"
    ),
    fix=(
        "Set the worker's GPUs to the product, or tensor_parallel_size (vLLM: --tensor-parallel-size) to the "
        "GPUs."
    ),
    check=_check,
)
