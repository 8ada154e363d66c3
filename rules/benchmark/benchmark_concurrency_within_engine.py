"""A benchmark keeps no more requests open than the engines take at once."""

from collections.abc import Iterator

from hardware.tensorrt_llm_keys import DEFAULT_MAX_BATCH_SIZE
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmark_targets import read_target
from rules.reading.benchmarks.benchmarks import Benchmark, check_benchmarks
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

_SEQUENCES = "--max-num-seqs"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_benchmarks(graph, lambda benchmark: _check_benchmark(graph, benchmark))


def _check_benchmark(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[Observation]:
    for run in benchmark.runs:
        load = run.concurrency
        # A single stream is no load, and nothing to judge.
        if load is None or load.value == 1:
            continue
        limits = [_limit(graph, worker) for worker in read_target(graph, benchmark, run).generating]
        total = sum(amount for amount, _ in limits)
        if load.value <= total:
            continue
        yield failed(
            benchmark.resource,
            benchmark.name,
            f"keeps {load.value} requests open ({load.source}), but the engines take {total} at once: "
            f"{' + '.join(explanation for _, explanation in limits)}; the others wait in a queue",
        )


def _limit(graph: ResourceGraph, worker: Worker) -> tuple[int, str]:
    replicas = worker.template.replicas
    if is_vllm(worker):
        settings = read_vllm(graph, worker)
        if settings.at(_SEQUENCES) is None:
            raise Undecided(f"{worker.name} has no {_SEQUENCES}, and vLLM's default depends on the GPU")
        sequences = settings.count(_SEQUENCES, 0)
        ranks = settings.count("--data-parallel-size", 1).value
        amount, source = sequences.value, sequences.source
        kind = "data-parallel ranks"
    elif is_tensorrt_llm(worker):
        engine = engine_settings(graph, worker)
        batch = engine.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
        # Under attention data parallelism the limit is each rank's own.
        is_attention_dp = engine.switch("enable_attention_dp")
        ranks = engine.count("tensor_parallel_size", default=1).value if is_attention_dp else 1
        amount, source = batch.value, f"max_batch_size, {batch.source}"
        kind = "attention-DP ranks"
    else:
        raise Undecided(f"nothing says how many requests {worker.name} takes at once")
    explanation = f"{amount} ({source})"
    if ranks > 1:
        explanation += f" x {ranks} {kind}"
    if replicas != 1:
        explanation += f" x {replicas} replicas"
    return amount * ranks * replicas, f"{explanation} of {worker.name}"


RULE = Rule(
    id="benchmark-concurrency-within-engine",
    title="A benchmark keeps no more requests open than the engines take at once",
    severity=Severity.ADVISORY,
    reason=(
        "What the engine does not take waits in its queue: the time to the first token then measures the "
        "queue, and a higher concurrency adds nothing to the throughput."
    ),
    source=(
        "ai-dynamo/dynamo#9914 (3600 requests against 4 ranks of 800; proposes 512 for each GPU); "
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (max_batch_size)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Keep the concurrency at or below max_batch_size (times the tensor-parallel size under attention "
        "data parallelism, times the replicas), or raise max_batch_size."
    ),
    check=_check,
)
