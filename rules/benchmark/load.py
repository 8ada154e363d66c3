"""Whether a benchmark's load suits what it measures."""

from collections.abc import Iterator

from engines import DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Severity
from rules.reading.benchmarks import (
    CONCURRENCY,
    GPU_COUNT_VARIABLE,
    INPUT_TOKENS,
    MODE_VARIABLE,
    OUTPUT_TOKENS,
    PER_GPU_VARIABLE,
    Benchmark,
    BenchmarkRun,
    Target,
    read_target,
    worker_gpus,
)
from rules.reading.disaggregation import read_role
from rules.reading.engines.command_settings import is_vllm, read_vllm
from rules.reading.engines.memory import memory_on_each_gpu, read_memory_plan
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm, read_tensorrt_llm
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Count, Undecided, known
from rules.rule import rule
from rules.subjects import BENCHMARKS

_DISAGGREGATED = {"agg": False, "disagg": True}
_VLLM_SEQUENCES = "--max-num-seqs"
_VLLM_LENGTH = "--max-model-len"


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason=(
        "Concurrency and throughput per GPU are worked out from the number that the Job names: with another "
        "one the load is not the intended one, and results are compared that are not comparable."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/perf.yaml at 2cfffb6 (6 GPUs, a graph of 5)"
    ),
    lines=EVERY_RELEASE,
    fix=f"Set {GPU_COUNT_VARIABLE} to the GPUs of all workers behind the address, replicas included.",
)
def benchmark_matches_deployment(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark counts the GPUs that its target has."""
    gpus, per_gpu = benchmark.count(GPU_COUNT_VARIABLE), benchmark.count(PER_GPU_VARIABLE)
    mode = benchmark.text(MODE_VARIABLE)
    if gpus is not None and per_gpu is not None:
        yield from _another_product(benchmark, gpus, per_gpu)
    if gpus is None and mode not in _DISAGGREGATED:
        return
    target = read_target(graph, benchmark, benchmark.runs[0])
    if gpus is not None:
        yield from _other_gpus(target, gpus, per_gpu)
    if mode in _DISAGGREGATED and _DISAGGREGATED[mode] != target.is_disaggregated:
        found = "has prefill workers" if target.is_disaggregated else "has no prefill workers"
        yield f"calls its target {mode} ({MODE_VARIABLE}), but {target.name} {found}"


def _another_product(benchmark: Benchmark, gpus: Count, per_gpu: Count) -> Iterator[str]:
    wanted = gpus.value * per_gpu.value
    loads = [run.count(CONCURRENCY) for run in benchmark.runs]
    if any(load is not None and load.value == wanted for load in loads):
        return
    for load in loads:
        if load is not None:
            yield (
                f"keeps {load.value} requests open ({load.source}), but says {per_gpu.value} for each of "
                f"{gpus.value} GPUs ({PER_GPU_VARIABLE}, {GPU_COUNT_VARIABLE}), which is {wanted}"
            )


def _other_gpus(target: Target, gpus: Count, per_gpu: Count | None) -> Iterator[str]:
    deployed = sum(worker_gpus(worker) for worker in target.workers)
    if gpus.value == deployed:
        return
    parts = " + ".join(f"{worker_gpus(worker)} of {worker.name}" for worker in target.workers)
    message = f"counts {gpus.value} GPUs ({gpus.source}), but {target.name} has {deployed}: {parts}"
    if per_gpu is not None:
        message += (
            f"; {per_gpu.value} requests for each make {per_gpu.value * gpus.value} at once instead of "
            f"{per_gpu.value * deployed}"
        )
    yield message


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason=(
        "What the engine does not take waits in its queue: the time to the first token then measures the "
        "queue, and a higher concurrency adds nothing to the throughput."
    ),
    source=(
        "ai-dynamo/dynamo#9914 (3600 requests against 4 ranks of 800; proposes 512 for each GPU); "
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (max_batch_size); ai-dynamo/aiconfigurator "
        "src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a (memory)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Keep the concurrency at or below max_batch_size (times the tensor-parallel size under attention "
        "data parallelism, times the replicas) and what the KV cache holds, or raise them."
    ),
)
def benchmark_concurrency_within_engine(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark keeps no more requests open than the engines take at once."""
    for run in benchmark.runs:
        load = run.count(CONCURRENCY)
        # A single stream is no load, and nothing to judge.
        if load is None or load.value == 1:
            continue
        limits = [
            _requests_at_once(graph, worker, _tokens(run))
            for worker in read_target(graph, benchmark, run).generating
        ]
        total = sum(amount for amount, _ in limits)
        if load.value > total:
            yield (
                f"keeps {load.value} requests open ({load.source}), but the engines take {total} at once: "
                f"{' + '.join(explanation for _, explanation in limits)}; the others wait in a queue"
            )


def _tokens(run: BenchmarkRun) -> int | None:
    """Return the tokens of one request with its answer, where the run says both."""
    prompt, answer = run.count(INPUT_TOKENS), run.count(OUTPUT_TOKENS)
    return None if prompt is None or answer is None else prompt.value + answer.value


def _requests_at_once(graph: ResourceGraph, worker: Worker, tokens: int | None) -> tuple[int, str]:
    replicas = worker.template.replicas
    if is_vllm(worker):
        settings = read_vllm(graph, worker)
        sequences = settings.given_count(_VLLM_SEQUENCES)
        if sequences is None:
            raise Undecided(f"{worker.name} has no {_VLLM_SEQUENCES}, and vLLM's default depends on the GPU")
        ranks = settings.count("--data-parallel-size", 1).value
        amount, source = sequences.value, sequences.source
        kind = "data-parallel ranks"
    elif is_tensorrt_llm(worker):
        engine = read_tensorrt_llm(graph, worker)
        batch = engine.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
        # Under attention data parallelism the limit is each rank's own.
        is_attention_dp = engine.switch("enable_attention_dp")
        ranks = engine.count("tensor_parallel_size", default=1).value if is_attention_dp else 1
        amount, source = batch.value, f"max_batch_size, {batch.source}"
        kind = "attention-DP ranks"
    else:
        raise Undecided(f"nothing says how many requests {worker.name} takes at once")
    held = None if tokens is None else known(_held_in_cache, graph, worker, tokens)
    if held is not None and held < amount:
        amount, source = held, f"an estimate of what the KV cache holds of {tokens:,} tokens each"
    explanation = f"{amount} ({source})"
    if ranks > 1:
        explanation += f" x {ranks} {kind}"
    if replicas != 1:
        explanation += f" x {replicas} replicas"
    return amount * ranks * replicas, f"{explanation} of {worker.name}"


def _held_in_cache(graph: ResourceGraph, worker: Worker, tokens: int) -> int | None:
    """Return how many requests of so many tokens have room on one rank, on the smallest GPU."""
    plan = read_memory_plan(graph, worker)
    if plan is None:
        return None
    one = plan.sequence_gib(tokens)
    return min((int(memory.pool / one) for memory in memory_on_each_gpu(graph, worker)), default=None)


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason=(
        "Requests that are too long are refused or cut short, so that the benchmark fails or measures "
        "shorter answers than it reports."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4 (max_seq_len 9000 and "
        "11000 for 8192 + 1024 tokens); NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Raise max_seq_len (vLLM: --max-model-len) and max_num_tokens, or send and ask for fewer tokens.",
)
def benchmark_lengths_fit(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """A benchmark's prompts and answers are no longer than the engines allow."""
    for run in benchmark.runs:
        prompt, answer = run.count(INPUT_TOKENS), run.count(OUTPUT_TOKENS)
        if prompt is not None:
            for worker in read_target(graph, benchmark, run).workers:
                yield from _too_long(graph, worker, prompt, answer)


def _too_long(graph: ResourceGraph, worker: Worker, prompt: Count, answer: Count | None) -> Iterator[str]:
    # A prefill worker makes one token and hands the rest on.
    generated = 1 if answer is None or read_role(worker) == "prefill" else answer.value
    limit = _longest_sequence(graph, worker)
    if limit is not None and prompt.value + generated > limit.value:
        yield (
            f"sends {prompt.value} tokens ({prompt.source}) and wants {generated} back, together "
            f"{prompt.value + generated}, but {worker.name} takes {limit.value} ({limit.source})"
        )
    if not is_tensorrt_llm(worker) or read_role(worker) == "decode":
        return
    settings = read_tensorrt_llm(graph, worker)
    tokens = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if prompt.value > tokens.value and not settings.switch("enable_chunked_prefill"):
        yield (
            f"sends {prompt.value} tokens ({prompt.source}), but without enable_chunked_prefill "
            f"{worker.name} takes prompts of at most max_num_tokens, {tokens.value} ({tokens.source})"
        )


def _longest_sequence(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_vllm(worker):
        return read_vllm(graph, worker).given_count(_VLLM_LENGTH)
    # Unset it is the model's own limit, which no recipe's traffic comes near.
    limit = read_tensorrt_llm(graph, worker).given_count("max_seq_len") if is_tensorrt_llm(worker) else None
    return None if limit is None else Count(limit.value, f"max_seq_len, {limit.source}")
