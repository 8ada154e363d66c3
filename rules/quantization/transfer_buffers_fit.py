"""Beside model and KV cache, the buffers fit that carry the cache to another worker."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.memory import memory_on_each_gpu, read_memory_plan
from rules.reading.engines.memory_plans import MemoryOnGpu, MemoryPlan
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, lambda worker, settings: _check_worker(graph, worker, settings))


def _check_worker(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings
) -> Iterator[Observation]:
    # Without a backend nothing is transferred, and nothing of the worker needs to be known.
    if settings.at("cache_transceiver_config", "backend") is None:
        return
    plan = read_memory_plan(graph, worker)
    if plan is None:
        return
    for memory in memory_on_each_gpu(graph, worker):
        yield from _check_gpu(worker, plan, memory)


def _check_gpu(worker: Worker, plan: MemoryPlan, memory: MemoryOnGpu) -> Iterator[Observation]:
    needed = plan.buffers_gib
    if memory.pool < 0 or memory.rest >= needed:
        return
    yield failed(
        worker.resource,
        worker.name,
        f"{plan.pool_words(memory)} and {memory.rest:.1f} GiB beside it; a buffer to send and one to receive "
        f"of {plan.buffer_tokens:,} tokens each take {needed:.1f} GiB",
    )


RULE = Rule(
    id="transfer-buffers-fit",
    title="What the KV cache leaves of a GPU holds the buffers that carry it",
    severity=Severity.ADVISORY,
    reason=(
        "The buffers are taken last, outside the share of the KV cache; without room the worker ends out of "
        "memory once everything else is loaded. The numbers are an estimate."
    ),
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp at 012f8ad; "
        "NVIDIA/TensorRT-LLM#11082, NVIDIA/TensorRT-LLM#12276"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Set cache_transceiver_config.max_tokens_in_buffer to the longest prompt, or lower "
        "kv_cache_config.free_gpu_memory_fraction."
    ),
    check=_check,
)
