"""The largest CUDA graph is the same by both of the ways to say it."""

from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker
from rules.reading.shapes import whole_number

_BLOCK = "cuda_graph_config"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    sizes = settings.at(_BLOCK, "batch_sizes")
    largest = settings.count(_BLOCK, "max_batch_size", default=0)
    if sizes is None or not isinstance(sizes.value, Sequence) or not sizes.value or not largest.value:
        return
    values: Sequence[Value] = sizes.value
    written = max(whole_number(size, f"{_BLOCK}.batch_sizes in {sizes.source}") for size in values)
    if written != largest.value:
        yield failed(
            worker.resource,
            worker.name,
            f"{_BLOCK}.max_batch_size {largest.value} ({largest.source}) is not the largest of batch_sizes, "
            f"{written} ({sizes.source})",
        )


RULE = Rule(
    id="cuda-graph-sizes-agree",
    title="The largest CUDA graph is said once, or twice alike",
    severity=Severity.MANDATORY,
    reason="The engine refuses two different answers with a ValueError, and the worker ends at start.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (CudaGraphConfig)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Leave cuda_graph_config.max_batch_size out, or make it the largest of batch_sizes.",
    check=_check,
)
