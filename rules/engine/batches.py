"""Lengths of sequences, sizes of batches, their CUDA graphs, and benchmarks that ask for more."""

from collections.abc import Iterator, Sequence
from typing import cast

from engines.command_line import Count, Flags, Undecided, whole_number
from engines.effective import Effective, flag_of
from engines.tensorrt_llm.keys import (
    DEFAULT_CUDA_GRAPH_BATCH_SIZE,
    DEFAULT_MAX_BATCH_SIZE,
    DEFAULT_MAX_NUM_TOKENS,
)
from resource_graph import ResourceGraph
from rules.reading.benchmarks import (
    CONCURRENCY,
    INPUT_TOKENS,
    MODEL_NAMES,
    OUTPUT_TOKENS,
    Benchmark,
    read_target,
)
from rules.reading.disaggregation import read_role
from rules.reading.engines.models import longest_sequence, read_gpt_oss, read_model_limits, served_name
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.pods.workers import Worker
from rules.rule import (
    BENCHMARKS,
    CONFIGURED_WORKERS,
    TENSORRT_LLM_WORKERS,
    Advice,
    Said,
    Severity,
    rule,
)

_LENGTH_OF_VLLM = "max_model_len"
_STRETCHED_BY = ("hf_overrides", "rope_scaling")
"""Options that give the model other positions than its config.json."""
_LETS_IT = "VLLM_ALLOW_LONG_MAX_MODEL_LEN"
_STEP_OF_VLLM = "max_num_batched_tokens"


@rule(
    CONFIGURED_WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "vLLM ends at start where sequences are longer than the model was made for, or without chunked "
        "prefill than a step. TensorRT-LLM starts (advice): beyond its length the model's positions mean "
        "nothing, so answers turn into noise, and a prompt that is longer than a step is refused, though "
        "clients are told of max_seq_len or the model's own length."
    ),
    source=(
        "max_position_embeddings in config.json of the model; vllm 0.20.1 vllm/config/model.py, "
        "vllm/config/scheduler.py (verify_max_model_len); NVIDIA/TensorRT-LLM "
        "tensorrt_llm/llmapi/llm_args.py (enable_chunked_prefill, max_num_tokens); PyPI package ai-dynamo "
        "1.2.1, dynamo/trtllm/workers/llm_worker.py (context_length)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1 and 0.23.0"),
    fix=("Lower max_seq_len, or --max-model-len; set enable_chunked_prefill: true, or raise max_num_tokens."),
)
def sequence_length_within_model(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """Sequences are longer than the model was made for, or prompts than a step."""
    if is_tensorrt_llm(worker):
        settings = read_settings(graph, worker)
        yield from map(Advice, _beyond_the_model(graph, worker, settings.given_count("max_seq_len")))
        yield from map(Advice, _beyond_a_step(worker, settings))
    elif is_vllm(worker):
        settings = read_settings(graph, worker)
        is_let = any(settings.at(option) is not None for option in _STRETCHED_BY) or worker.variable(_LETS_IT)
        length = None if is_let else _plain_count(settings, _LENGTH_OF_VLLM)
        yield from _beyond_the_model(graph, worker, length)
        yield from _beyond_a_step_of_vllm(settings)


def _beyond_the_model(graph: ResourceGraph, worker: Worker, length: Count | None) -> Iterator[str]:
    model = None if length is None else read_model_limits(graph, worker)
    if length is not None and model is not None and length.value > model.max_positions:
        yield (
            f"admits sequences of {length.value} tokens ({length.source}), but {model.name} was made for "
            f"{model.max_positions}"
        )


def _beyond_a_step(worker: Worker, settings: Effective) -> Iterator[str]:
    if read_role(worker) == "decode" or settings.switch("enable_chunked_prefill"):
        return
    sequence = longest_sequence(settings, read_gpt_oss(worker))
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if sequence.value > step.value:
        yield (
            f"refuses prompts of more than max_num_tokens {step.value} ({step.source}) tokens, although it "
            f"promises {sequence.value} ({sequence.source}): enable_chunked_prefill is off"
        )


def _plain_count(settings: Effective, name: str) -> Count | None:
    given = settings.at(name)
    # vLLM also takes 128k and auto, neither of which says too much.
    return settings.count(name, default=0) if given is not None and str(given.value).isdigit() else None


def _beyond_a_step_of_vllm(settings: Effective) -> Iterator[str]:
    if settings.switch("enable_chunked_prefill", default=True):
        return
    step, length = _plain_count(settings, _STEP_OF_VLLM), _plain_count(settings, _LENGTH_OF_VLLM)
    if step is not None and length is not None and length.value > step.value:
        yield (
            f"{flag_of(_STEP_OF_VLLM)} {step.value} is less than {flag_of(_LENGTH_OF_VLLM)} {length.value}, "
            "and chunked prefill is off: vLLM ends at start"
        )


_GRAPHS = "cuda_graph_config"


@rule(
    TENSORRT_LLM_WORKERS,
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
)
def cuda_graphs_cover_batches(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """CUDA graphs end below the largest batch, or above it."""
    settings = read_settings(graph, worker)
    # A step with prompts in it never replays a graph, and a prefill worker has no others.
    if read_role(worker) == "prefill":
        return
    written = {*settings.file.content, *settings.overrides.content}
    batch = settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
    # An explicit null turns graphs off; and of two defaults nobody chose either.
    if settings.at(_GRAPHS) is None and (_GRAPHS in written or batch.source.startswith("the ")):
        return
    largest = _largest_graph(settings)
    step = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    limit = min(batch, step, key=lambda count: count.value)
    if largest.value < limit.value:
        yield (
            f"has CUDA graphs up to a batch of {largest.value} ({largest.source}), but batches reach "
            f"{limit.value} ({limit.source}): the larger ones run without a graph"
        )


def _largest_graph(settings: Effective) -> Count:
    sizes = settings.at(_GRAPHS, "batch_sizes")
    values = cast("list[object]", sizes.value) if sizes and isinstance(sizes.value, list) else []
    if sizes is not None and values:
        largest = max(whole_number(size, f"{_GRAPHS}.batch_sizes in {sizes.source}") for size in values)
        return Count(largest, sizes.source)
    count = settings.count(_GRAPHS, "max_batch_size", default=DEFAULT_CUDA_GRAPH_BATCH_SIZE)
    return count if count.value else Count(DEFAULT_CUDA_GRAPH_BATCH_SIZE, "the engine's default")


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
        "tensorrt_llm/llmapi/llm_args.py (max_batch_size)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Write the value of --served-model-name, send fewer tokens or raise max_seq_len and max_num_tokens "
        "(vLLM: --max-model-len), and keep the concurrency at or below max_batch_size (times the "
        "tensor-parallel size under attention data parallelism, times replicas)."
    ),
)
def benchmark_within_engine(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[str]:
    """Benchmark asks for another model, longer requests or more of them than the engines take."""
    for run in benchmark.runs:
        prompt, answer, load = (run.count(*names) for names in (INPUT_TOKENS, OUTPUT_TOKENS, CONCURRENCY))
        target, workers = read_target(graph, benchmark, run)
        yield from _another_name(run, target, workers)
        if prompt is not None:
            for worker in workers:
                yield from _too_long(graph, worker, prompt, answer)
        # A single stream is no load, and nothing to judge.
        if load is None or load.value == 1:
            continue
        generating = (worker for worker in workers if read_role(worker) != "prefill")
        limits = [_requests_at_once(graph, worker) for worker in generating]
        total = sum(amount for amount, _ in limits)
        if load.value > total:
            yield (
                f"keeps {load.value} requests open ({load.source}), but the engines take {total} at once: "
                f"{' + '.join(explanation for _, explanation in limits)}; the others wait in a queue"
            )


def _another_name(run: Flags, target: str, workers: Sequence[Worker]) -> Iterator[str]:
    wanted, names = run.setting(*MODEL_NAMES), [served_name(worker) for worker in workers]
    served = sorted({str(name.value) for name in names if name is not None})
    # A worker whose name is not seen may be the one that is asked for.
    if wanted is not None and served and None not in names and str(wanted.value) not in served:
        asked = f"asks for the model {wanted.value} ({wanted.source})"
        yield f"{asked}, but {target} serves {', '.join(served)}"


def _requests_at_once(graph: ResourceGraph, worker: Worker) -> tuple[int, str]:
    replicas, settings = worker.template.replicas, read_settings(graph, worker)
    if settings.is_vllm:
        limit, kind = settings.given_count("max_num_seqs"), "data-parallel ranks"
        if limit is None:
            raise Undecided(f"{worker.name} has no --max-num-seqs, and vLLM's default depends on the GPU")
        ranks = settings.count("data_parallel_size", default=1).value
    else:
        limit, kind = settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE), "attention-DP ranks"
        # Under attention data parallelism the limit is each rank's own.
        is_attention_dp = settings.switch("enable_attention_dp")
        ranks = settings.count("tensor_parallel_size", default=1).value if is_attention_dp else 1
    times = "".join(
        f" x {each} {what}" for each, what in ((ranks, kind), (replicas, "replicas")) if each != 1
    )
    source = limit.source if settings.is_vllm else f"max_batch_size, {limit.source}"
    return limit.value * ranks * replicas, f"{limit.value} ({source}){times} of {worker.name}"


def _too_long(graph: ResourceGraph, worker: Worker, prompt: Count, answer: Count | None) -> Iterator[str]:
    # A prefill worker makes one token and hands the rest on.
    generated = 1 if answer is None or read_role(worker) == "prefill" else answer.value
    limit = _given_length(graph, worker)
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


def _given_length(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_vllm(worker):
        return read_settings(graph, worker).given_count(_LENGTH_OF_VLLM)
    # Unset it is the model's own limit, which no recipe's traffic comes near.
    limit = read_settings(graph, worker).given_count("max_seq_len") if is_tensorrt_llm(worker) else None
    return None if limit is None else Count(limit.value, f"max_seq_len, {limit.source}")
