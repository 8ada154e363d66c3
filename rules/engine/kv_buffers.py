"""The buffers through which TensorRT-LLM's workers send and receive their KV cache."""

from collections.abc import Iterator, Mapping

from engines import GIB, KV_VALUE_BYTES
from resource_graph import ResourceGraph
from rules.model import Observation, Severity, failed, undecided
from rules.reading.benchmarks import INPUT_TOKENS, Benchmark, read_target
from rules.reading.disaggregation import Disaggregated
from rules.reading.engines.engine_yaml import EngineFileProblem
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.tensorrt_llm import READ_SINCE, is_tensorrt_llm, read_tensorrt_llm
from rules.reading.kv_cache import (
    WITH_FIXED_BUFFERS,
    effective_backend,
    effective_format,
    longest_prompt,
    longest_sequence,
    read_kv_format,
    tokens_per_block,
    transceiver_backend,
    transfer_buffer,
)
from rules.reading.memoized import memoized
from rules.reading.pods.pods import readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.releases import by_line, known_lines
from rules.reading.shapes import Count, Undecided
from rules.rule import Said, graph_rule, rule
from rules.subjects import BENCHMARKS, DISAGGREGATED, TENSORRT_LLM_WORKERS, TensorRtLlmWorker


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.MANDATORY,
    reason="The engine checks it at start, and every worker ends.",
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp at 012f8ad; "
        "ai-dynamo/aiconfigurator#459; max_seq_len in its stead since NVIDIA/TensorRT-LLM#11082"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Round max_tokens_in_buffer up to a multiple of kv_cache_config.tokens_per_block, 32 by default; "
    "set it where max_seq_len is none.",
)
def transfer_buffer_aligned(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[Said]:
    """A transfer buffer holds whole blocks of the KV cache."""
    worker, settings = engine.worker, engine.settings
    if transceiver_backend(settings) is None:
        return
    buffer, block = transfer_buffer(settings), tokens_per_block(settings)
    set_by, is_read = "max_tokens_in_buffer", True
    if buffer is None and settings.at("max_seq_len") is not None:
        buffer = settings.count("max_seq_len", default=0)
        set_by = "max_tokens_in_buffer is not set, and max_seq_len, which stands for it,"
        is_read = any(line >= READ_SINCE for line in known_lines(worker.container, worker.described_by))
    if buffer is None or block.value == 0 or buffer.value % block.value == 0:
        return
    above = -(-buffer.value // block.value) * block.value
    message = (
        f"{set_by} {buffer.value} ({buffer.source}) is no multiple of tokens_per_block "
        f"{block.value} ({block.source}); the next one is {above}"
    )
    yield message if is_read else Undecided(message)


@graph_rule(
    severity=Severity.MANDATORY,
    reason="NIXL fails where a prompt does not fit the buffer, so none of these requests is answered.",
    source="NVIDIA/TensorRT-LLM docs disagg-serving.md at 0434b98 (max_tokens_in_buffer)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Raise max_tokens_in_buffer on prefill and decode to the prompt, rounded up to whole blocks.",
)
def transfer_buffer_holds_the_benchmark(graph: ResourceGraph) -> Iterator[Observation]:
    """Where NIXL moves the KV cache, a buffer holds the prompts that a benchmark sends."""
    if _buffers_of_nixl(graph):
        yield from BENCHMARKS.judge(graph, _too_long_prompts)


def _too_long_prompts(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[Observation]:
    buffers = _buffers_of_nixl(graph)
    for run in benchmark.runs:
        prompt = run.count(INPUT_TOKENS)
        if prompt is None:
            continue
        small = {worker: tokens for worker, tokens in buffers.items() if tokens.value < prompt.value}
        targets = read_target(graph, benchmark, run).workers if small else ()
        for worker, tokens in small.items():
            if worker in targets:
                yield failed(
                    worker.resource,
                    worker.name,
                    f"its transfer buffer holds {tokens.value} tokens ({tokens.source}), but "
                    f"{benchmark.name} sends prompts of {prompt.value} ({prompt.source}) by NIXL",
                )


@memoized
def _buffers_of_nixl(graph: ResourceGraph) -> Mapping[Worker, Count]:
    found: dict[Worker, Count] = {}
    for worker in filter(is_tensorrt_llm, readable(read_workers(graph))):
        try:
            tokens = transfer_buffer(read_tensorrt_llm(graph, worker))
            if tokens is not None and effective_backend(graph, worker) == "NIXL":
                found[worker] = tokens
        except Undecided:
            # The rules about the buffer itself say so.
            continue
    return found


@rule(
    DISAGGREGATED,
    severity=Severity.MANDATORY,
    reason=(
        "NIXL and Mooncake allocate their buffers once and end the transfer of a longer prompt with a failed "
        "check; 0 allocates none, so that every transfer ends so. UCX and MPI allocate another buffer as "
        "they go."
    ),
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp (AgentConnection) and "
        "docs disagg-serving.md at 0434b98"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Raise max_tokens_in_buffer on prefill and decode, or lower prefill's max_seq_len.",
)
def transfer_buffer_holds_the_prompt(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    """A transfer buffer that cannot grow holds the longest prompt that prefill admits."""
    if not all(is_tensorrt_llm(worker) for worker in group.workers):
        return
    prompts = [
        longest_prompt(read_tensorrt_llm(graph, worker), read_gpt_oss(worker)) for worker in group.prefill
    ]
    longest = max(prompts, key=lambda prompt: prompt.value)
    for worker in group.workers:
        yield from _too_small_buffer(graph, worker, longest)


def _too_small_buffer(graph: ResourceGraph, worker: Worker, longest: Count) -> Iterator[Observation]:
    try:
        backend, buffer = effective_backend(graph, worker), transfer_buffer(read_tensorrt_llm(graph, worker))
    except EngineFileProblem:
        return
    except Undecided as reason:
        yield undecided(worker.resource, worker.name, str(reason))
        return
    if backend not in WITH_FIXED_BUFFERS or buffer is None or buffer.value >= longest.value:
        return
    message = (
        f"its transfer buffer holds {buffer.value} tokens ({buffer.source}), but prefill admits prompts of "
        f"{longest.value} ({longest.source}), and buffers of {backend} do not grow"
    )
    try:
        known = by_line(lambda line: line >= READ_SINCE, worker.container, worker.described_by)
    except Undecided as reason:
        yield undecided(worker.resource, worker.name, f"{message}; {reason}")
        return
    yield (failed if known else undecided)(worker.resource, worker.name, message)


# One to send and one to receive.
_BUFFERS = 2


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "Unset, the engine reserves room for its longest sequence, once to send and once to receive, outside "
        "the memory that it gives to the KV cache, which may run out for it."
    ),
    source=(
        "NVIDIA/TensorRT-LLM#11082, cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp at a2b0265; "
        "ai-dynamo/dynamo#12276"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Set cache_transceiver_config.max_tokens_in_buffer to the longest prompt that is sent, rounded up to "
        "a multiple of tokens_per_block."
    ),
)
def transfer_buffer_set(graph: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """The size of the transfer buffers is chosen."""
    settings = engine.settings
    if transceiver_backend(settings) is None or transfer_buffer(settings) is not None:
        return
    yield (
        f"cache_transceiver_config ({settings.file.source or settings.overrides.source}) sets no "
        f"max_tokens_in_buffer, so that each buffer holds max_seq_len tokens{_default_size(graph, engine)}"
    )


def _default_size(graph: ResourceGraph, engine: TensorRtLlmWorker) -> str:
    worker, settings = engine.worker, engine.settings
    model = read_gpt_oss(worker)
    try:
        tokens = longest_sequence(settings, model)
        kv_format = read_kv_format(graph, worker)
        value_bytes = KV_VALUE_BYTES.get(
            "" if kv_format is None else effective_format(graph, worker, kv_format)
        )
        ranks = settings.count("tensor_parallel_size", default=1).value
        spread = 1 if settings.switch("enable_attention_dp") else ranks
    except Undecided:
        return ""
    if model is None or value_bytes is None:
        return f": {tokens.value} ({tokens.source})"
    per_token = model.kv_bytes_per_token(1) * value_bytes / min(max(spread, 1), model.kv_heads)
    gib = _BUFFERS * tokens.value * per_token / GIB
    return (
        f": {tokens.value} ({tokens.source}), which is {gib:.1f} GiB for two buffers on each GPU, beside the "
        "KV cache"
    )
