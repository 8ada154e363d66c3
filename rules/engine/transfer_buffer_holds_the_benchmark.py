"""Where NIXL moves the KV cache, a transfer buffer holds the prompts that a benchmark sends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmark_targets import read_target
from rules.reading.benchmarks.benchmarks import Benchmark, check_benchmarks
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.tensorrt_llm import Count, is_tensorrt_llm
from rules.reading.engines.transfer_buffers import transfer_buffer
from rules.reading.kv_transport.cache_transceiver import effective_backend
from rules.reading.pods.pods import Unreadable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided


@dataclass(frozen=True, slots=True)
class _Buffer:
    worker: Worker
    tokens: Count


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    buffers = list(_buffers(graph))
    if not buffers:
        return iter(())
    return check_benchmarks(graph, lambda benchmark: _check_benchmark(graph, benchmark, buffers))


def _buffers(graph: ResourceGraph) -> Iterator[_Buffer]:
    for worker in read_workers(graph):
        if isinstance(worker, Unreadable) or not is_tensorrt_llm(worker):
            continue
        try:
            tokens = transfer_buffer(engine_settings(graph, worker))
            if tokens is not None and effective_backend(graph, worker) == "NIXL":
                yield _Buffer(worker, tokens)
        except Undecided:
            # The rules about the buffer itself say so.
            continue


def _check_benchmark(
    graph: ResourceGraph, benchmark: Benchmark, buffers: Sequence[_Buffer]
) -> Iterator[Observation]:
    for run in benchmark.runs:
        prompt = run.input_tokens
        small = [buffer for buffer in buffers if prompt is not None and buffer.tokens.value < prompt.value]
        if prompt is None or not small:
            continue
        workers = read_target(graph, benchmark, run).workers
        for buffer in small:
            if buffer.worker in workers:
                yield failed(
                    buffer.worker.resource,
                    buffer.worker.name,
                    f"its transfer buffer holds {buffer.tokens.value} tokens ({buffer.tokens.source}), but "
                    f"{benchmark.name} sends prompts of {prompt.value} ({prompt.source}) by NIXL",
                )


RULE = Rule(
    id="transfer-buffer-holds-the-benchmark",
    title="Where NIXL moves the KV cache, a buffer holds the prompts that a benchmark sends",
    severity=Severity.MANDATORY,
    reason="NIXL fails where a prompt does not fit the buffer, so none of these requests is answered.",
    source="NVIDIA/TensorRT-LLM docs disagg-serving.md at 0434b98 (max_tokens_in_buffer)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Raise max_tokens_in_buffer on prefill and decode to the prompt, rounded up to whole blocks.",
    check=_check,
)
