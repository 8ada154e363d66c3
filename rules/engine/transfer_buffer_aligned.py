"""A transfer buffer holds whole blocks of the KV cache."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.engines.transfer_buffers import tokens_per_block, transceiver_backend, transfer_buffer
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    if transceiver_backend(settings) is None:
        return
    buffer, block = transfer_buffer(settings), tokens_per_block(settings)
    if buffer is None or block.value == 0 or buffer.value % block.value == 0:
        return
    above = -(-buffer.value // block.value) * block.value
    yield failed(
        worker.resource,
        worker.name,
        f"max_tokens_in_buffer {buffer.value} ({buffer.source}) is no multiple of tokens_per_block "
        f"{block.value} ({block.source}); the next one is {above}",
    )


RULE = Rule(
    id="transfer-buffer-aligned",
    title="A transfer buffer holds whole blocks of the KV cache",
    severity=Severity.MANDATORY,
    reason="The engine checks it at start, and every worker ends.",
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp at 012f8ad; "
        "ai-dynamo/aiconfigurator#459"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Round max_tokens_in_buffer up to a multiple of kv_cache_config.tokens_per_block, 32 by default.",
    check=_check,
)
