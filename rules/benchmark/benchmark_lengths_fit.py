"""A benchmark's prompts and answers are no longer than the engines allow."""

from collections.abc import Iterator

from hardware.tensorrt_llm_keys import DEFAULT_MAX_NUM_TOKENS
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmark_targets import read_target
from rules.reading.benchmarks.benchmarks import Benchmark, check_benchmarks
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.tensorrt_llm import Count, is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.pods.workers import Worker

_VLLM_LENGTH = "--max-model-len"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_benchmarks(graph, lambda benchmark: _check_benchmark(graph, benchmark))


def _check_benchmark(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[Observation]:
    for run in benchmark.runs:
        prompt, answer = run.input_tokens, run.output_tokens
        if prompt is None:
            continue
        for worker in read_target(graph, benchmark, run).workers:
            for problem in _problems(graph, worker, prompt, answer):
                yield failed(benchmark.resource, benchmark.name, problem)


def _problems(graph: ResourceGraph, worker: Worker, prompt: Count, answer: Count | None) -> Iterator[str]:
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
    settings = engine_settings(graph, worker)
    tokens = settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS)
    if prompt.value > tokens.value and not settings.switch("enable_chunked_prefill"):
        yield (
            f"sends {prompt.value} tokens ({prompt.source}), but without enable_chunked_prefill "
            f"{worker.name} takes prompts of at most max_num_tokens, {tokens.value} ({tokens.source})"
        )


def _longest_sequence(graph: ResourceGraph, worker: Worker) -> Count | None:
    if is_vllm(worker):
        vllm = read_vllm(graph, worker)
        return None if vllm.at(_VLLM_LENGTH) is None else vllm.count(_VLLM_LENGTH, 0)
    if not is_tensorrt_llm(worker):
        return None
    settings = engine_settings(graph, worker)
    if settings.at("max_seq_len") is None:
        # The model's own limit, which no recipe's traffic comes near.
        return None
    limit = settings.count("max_seq_len", default=0)
    return Count(limit.value, f"max_seq_len, {limit.source}")


RULE = Rule(
    id="benchmark-lengths-fit",
    title="A benchmark's prompts and answers are no longer than the engines allow",
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
    check=_check,
)
