"""CUDA graphs are captured for the batches that run, and for no larger ones."""

from collections.abc import Iterator, Sequence

from hardware import DEFAULT_CUDA_GRAPH_BATCH_SIZE, DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS
from resource_graph import ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import Count, TensorRtLlmSettings
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.pods.workers import Worker
from rules.reading.shapes import whole_number

_BLOCK = "cuda_graph_config"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    # A step with prompts in it never replays a graph, and a prefill worker has no others.
    if read_role(worker) == "prefill":
        return
    written = {key for _, mapping in settings.written() for key in mapping}
    batch = settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
    # An explicit null turns graphs off; and of two defaults nobody chose either.
    if settings.at(_BLOCK) is None and (_BLOCK in written or batch.source.startswith("the ")):
        return
    largest = _largest_graph(settings)
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    limit = min(batch, step, key=lambda count: count.value)
    if largest.value > limit.value:
        yield failed(
            worker.resource,
            worker.name,
            f"asks for CUDA graphs up to a batch of {largest.value} ({largest.source}), but batches end at "
            f"{limit.value} ({limit.source}): the larger graphs are left out",
        )
    elif largest.value < limit.value:
        yield failed(
            worker.resource,
            worker.name,
            f"has CUDA graphs up to a batch of {largest.value} ({largest.source}), but batches reach "
            f"{limit.value} ({limit.source}): the larger ones run without a graph",
        )


def _largest_graph(settings: TensorRtLlmSettings) -> Count:
    sizes = settings.at(_BLOCK, "batch_sizes")
    if sizes is not None and isinstance(sizes.value, Sequence) and sizes.value:
        values: Sequence[Value] = sizes.value
        largest = max(whole_number(size, f"{_BLOCK}.batch_sizes in {sizes.source}") for size in values)
        return Count(largest, sizes.source)
    count = settings.count(_BLOCK, "max_batch_size", default=DEFAULT_CUDA_GRAPH_BATCH_SIZE)
    return count if count.value else Count(DEFAULT_CUDA_GRAPH_BATCH_SIZE, "the engine's default")


RULE = Rule(
    id="cuda-graphs-cover-batches",
    title="CUDA graphs are captured for the batches that run",
    severity=Severity.ADVISORY,
    reason=(
        "Steps of a batch that has no graph launch every kernel one by one and are slower; graphs above the "
        "largest batch are left out without a word. Prefill workers are left alone: only steps without "
        "prompts run as a graph."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (CudaGraphConfig, max_batch_size) and "
        "tensorrt_llm/_torch/pyexecutor/scheduler.py (ScheduledRequests.can_run_cuda_graph)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set cuda_graph_config.max_batch_size to max_batch_size.",
    check=_check,
)
