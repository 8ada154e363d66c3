"""The size of a transfer buffer is chosen, not left to the longest sequence."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines import check_tensorrt_llm
from rules.reading.models import read_gpt_oss
from rules.reading.shapes import Undecided
from rules.reading.tensorrt_llm import TensorRtLlmSettings
from rules.reading.transfer_buffers import longest_sequence, transceiver_backend, transfer_buffer
from rules.reading.workers import Worker

_GIB = 2**30
_BYTES_OF_DTYPE = {"auto": 2, "bfloat16": 2, "float16": 2, "half": 2, "fp8": 1}
# One to send and one to receive.
_BUFFERS = 2


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    if transceiver_backend(settings) is None or transfer_buffer(settings) is not None:
        return
    yield failed(
        worker.resource,
        worker.name,
        f"cache_transceiver_config ({settings.file_source or settings.overrides_source}) sets no "
        f"max_tokens_in_buffer, so that each buffer holds max_seq_len tokens{_size(worker, settings)}",
    )


def _size(worker: Worker, settings: TensorRtLlmSettings) -> str:
    model = read_gpt_oss(worker)
    dtype = settings.setting("kv_cache_config", "dtype", default="auto").value
    value_bytes = _BYTES_OF_DTYPE.get(str(dtype))
    if model is None or value_bytes is None:
        return ""
    try:
        tokens = longest_sequence(settings, model)
        ranks = (
            1
            if settings.switch("enable_attention_dp")
            else settings.count("tensor_parallel_size", default=1).value
        )
    except Undecided:
        return ""
    per_token = model.kv_bytes_per_token(value_bytes) / min(max(ranks, 1), model.kv_heads)
    gib = _BUFFERS * tokens.value * per_token / _GIB
    return (
        f": {tokens.value} ({tokens.source}), two buffers of KV cache in {dtype} on each GPU, {gib:.1f} GiB "
        "beside the KV cache"
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
    fix=(
        "Set cache_transceiver_config.max_tokens_in_buffer to the longest prompt that is sent, rounded up to "
        "a multiple of tokens_per_block."
    ),
    check=_check,
)
