"""A step of the engine has a token for every sequence of the largest batch."""

from collections.abc import Iterator

from hardware import DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    batch = settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if batch.value > step.value:
        yield failed(
            worker.resource,
            worker.name,
            f"max_batch_size {batch.value} ({batch.source}) exceeds max_num_tokens {step.value} "
            f"({step.source}), so that no step can hold such a batch",
        )


RULE = Rule(
    id="batch-fits-a-step",
    title="The largest batch fits in a step of the engine",
    severity=Severity.ADVISORY,
    reason="Every running sequence needs a token of each step: the engine warns, and batches stay smaller.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (max_batch_size against max_num_tokens)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Raise max_num_tokens, or lower max_batch_size to it.",
    check=_check,
)
