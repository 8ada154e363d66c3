"""Whether a benchmark asks for what the engines take: the model's name, lengths, and requests at once."""

from collections.abc import Iterator

from engines.tensorrt_llm.keys import DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS
from engines.written_values import Count
from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.benchmarks import (
    CONCURRENCY,
    INPUT_TOKENS,
    MODEL_NAMES,
    OUTPUT_TOKENS,
    Benchmark,
    BenchmarkRun,
    Target,
    read_target,
)
from rules.reading.disaggregation import read_role
from rules.reading.engines.memory import memory_on_each_gpu, read_memory_plan
from rules.reading.engines.models import served_name
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, known
from rules.rule import rule
from rules.subjects import BENCHMARKS

_VLLM_SEQUENCES = "max_num_seqs"
_VLLM_LENGTH = "max_model_len"


@rule(
    BENCHMARKS,
    severity=Severity.ADVISORY,
    reason=(
        "A name that nobody serves is answered with 404. Requests that are too long are refused or cut "
        "short. What the engine does not take at once waits in its queue, and the time to the first token "
        "measures that queue."
    ),
    source=(
        "ai-dynamo/dynamo docs of troubleshooting (404 Model not found), ai-dynamo/dynamo#9914, "
        "recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4; NVIDIA/TensorRT-LLM "
        "tensorrt_llm/llmapi/llm_args.py (max_batch_size); ai-dynamo/aiconfigurator "
        "src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a (memory)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Write the value of --served-model-name, send fewer tokens or raise max_seq_len and max_num_tokens "
        "(vLLM: --max-model-len), and keep the concurrency at or below what the KV cache holds and "
        "max_batch_size (times the tensor-parallel size under attention data parallelism, times replicas)."
    ),
)
def benchmark_within_engine(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """Benchmark asks for another model, longer requests or more of them than the engines take."""
    for run in benchmark.runs:
        prompt, answer, load = (run.count(names) for names in (INPUT_TOKENS, OUTPUT_TOKENS, CONCURRENCY))
        target = read_target(graph, benchmark, run)
        yield from _another_name(run, target)
        if prompt is not None:
            for worker in target.workers:
                yield from _too_long(graph, worker, prompt, answer)
        # A single stream is no load, and nothing to judge.
        if load is None or load.value == 1:
            continue
        tokens = None if prompt is None or answer is None else prompt.value + answer.value
        limits = [_requests_at_once(graph, worker, tokens) for worker in target.generating]
        total = sum(amount for amount, _ in limits)
        if load.value > total:
            yield (
                f"keeps {load.value} requests open ({load.source}), but the engines take {total} at once: "
                f"{' + '.join(explanation for _, explanation in limits)}; the others wait in a queue"
            )


def _another_name(run: BenchmarkRun, target: Target) -> Iterator[str]:
    wanted, names = run.setting(MODEL_NAMES), [served_name(worker) for worker in target.workers]
    served = sorted({str(name.value) for name in names if name is not None})
    # A worker whose name is not seen may be the one that is asked for.
    if wanted is not None and served and None not in names and str(wanted.value) not in served:
        asked = f"asks for the model {wanted.value} ({wanted.source})"
        yield f"{asked}, but {target.name} serves {', '.join(served)}"


def _requests_at_once(graph: ResourceGraph, worker: Worker, tokens: int | None) -> tuple[int, str]:
    replicas = worker.template.replicas
    if is_vllm(worker):
        settings = read_settings(graph, worker)
        sequences = settings.given_count(_VLLM_SEQUENCES)
        if sequences is None:
            raise Undecided(f"{worker.name} has no --max-num-seqs, and vLLM's default depends on the GPU")
        ranks = settings.count("data_parallel_size", default=1).value
        amount, source = sequences.value, sequences.source
        kind = "data-parallel ranks"
    elif is_tensorrt_llm(worker):
        engine = read_settings(graph, worker)
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
    times = "".join(
        f" x {each} {what}" for each, what in ((ranks, kind), (replicas, "replicas")) if each != 1
    )
    return amount * ranks * replicas, f"{amount} ({source}){times} of {worker.name}"


def _held_in_cache(graph: ResourceGraph, worker: Worker, tokens: int) -> int | None:
    """Return how many requests of so many tokens have room on one rank, on the smallest GPU."""
    plan = read_memory_plan(graph, worker)
    if plan is None:
        return None
    one = plan.sequence_gib(tokens)
    return min((int(memory.pool / one) for memory in memory_on_each_gpu(graph, worker)), default=None)


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
    settings = read_settings(graph, worker)
    tokens = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if prompt.value > tokens.value and not settings.switch("enable_chunked_prefill"):
        yield (
            f"sends {prompt.value} tokens ({prompt.source}), but without enable_chunked_prefill "
            f"{worker.name} takes prompts of at most max_num_tokens, {tokens.value} ({tokens.source})"
        )


def _longest_sequence(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_vllm(worker):
        return read_settings(graph, worker).given_count(_VLLM_LENGTH)
    # Unset it is the model's own limit, which no recipe's traffic comes near.
    limit = read_settings(graph, worker).given_count("max_seq_len") if is_tensorrt_llm(worker) else None
    return None if limit is None else Count(limit.value, f"max_seq_len, {limit.source}")
