"""The size of a transfer buffer is chosen, not left to the longest sequence."""

from collections.abc import Iterator

from hardware import GIB, KV_VALUE_BYTES
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.kv_formats import effective_format, read_kv_format
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.engines.transfer_buffers import longest_sequence, transceiver_backend, transfer_buffer
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

# One to send and one to receive.
_BUFFERS = 2


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, lambda worker, settings: _check_worker(graph, worker, settings))


def _check_worker(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings
) -> Iterator[Observation]:
    if transceiver_backend(settings) is None or transfer_buffer(settings) is not None:
        return
    yield failed(
        worker.resource,
        worker.name,
        f"cache_transceiver_config ({settings.file_source or settings.overrides_source}) sets no "
        f"max_tokens_in_buffer, so that each buffer holds max_seq_len tokens{_size(graph, worker, settings)}",
    )


def _size(graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings) -> str:
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


RULE = Rule(
    id="transfer-buffer-set",
    title="The size of the transfer buffers is chosen",
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
    check=_check,
)
