"""A transfer buffer holds whole blocks of the KV cache."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.engines.engines import READ_SINCE, check_tensorrt_llm
from rules.reading.engines.runtime_version import known_lines
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.engines.transfer_buffers import tokens_per_block, transceiver_backend, transfer_buffer
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    if transceiver_backend(settings) is None:
        return
    buffer, block = transfer_buffer(settings), tokens_per_block(settings)
    set_by, see = "max_tokens_in_buffer", failed
    if buffer is None and settings.at("max_seq_len") is not None:
        buffer = settings.count("max_seq_len", default=0)
        set_by = "max_tokens_in_buffer is not set, and max_seq_len, which stands for it,"
        is_read = any(line >= READ_SINCE for line in known_lines(worker.container, worker.described_by))
        see = failed if is_read else undecided
    if buffer is None or block.value == 0 or buffer.value % block.value == 0:
        return
    above = -(-buffer.value // block.value) * block.value
    yield see(
        worker.resource,
        worker.name,
        f"{set_by} {buffer.value} ({buffer.source}) is no multiple of tokens_per_block "
        f"{block.value} ({block.source}); the next one is {above}",
    )


RULE = Rule(
    id="transfer-buffer-aligned",
    title="A transfer buffer holds whole blocks of the KV cache",
    severity=Severity.MANDATORY,
    reason="The engine checks it at start, and every worker ends.",
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp at 012f8ad; "
        "ai-dynamo/aiconfigurator#459; max_seq_len in its stead since NVIDIA/TensorRT-LLM#11082"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Round max_tokens_in_buffer up to a multiple of kv_cache_config.tokens_per_block, 32 by default; "
    "set it where max_seq_len is none.",
    check=_check,
)
