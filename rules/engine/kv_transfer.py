"""How TensorRT-LLM's workers hand over their KV cache: buffers, and settings that endanger the transfer."""

from collections.abc import Iterator
from functools import partial

from engines.command_line import Count, Undecided
from engines.effective import Effective, EngineFileProblem
from engines.tensorrt_llm.options import BACKENDS_WITH_FIXED_BUFFERS
from resource_graph import ResourceGraph
from rules.reading.disaggregation import Disaggregated, read_role
from rules.reading.engines.models import (
    effective_backend,
    longest_prompt,
    read_gpt_oss,
    tokens_per_block,
    transceiver_backend,
    transfer_buffer,
)
from rules.reading.engines.settings import is_tensorrt_llm, read_settings
from rules.reading.pods.workers import Worker
from rules.reading.releases import READ_SINCE, by_line
from rules.rule import (
    DISAGGREGATED,
    TENSORRT_LLM_WORKERS,
    Observation,
    Said,
    Severity,
    Subjects,
    graph_rule,
    rule,
)


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The engine checks at start that a buffer holds whole blocks. NIXL and Mooncake allocate buffers "
        "once and end the transfer of a longer prompt with a failed check; 0 allocates none, so that every "
        "transfer ends so. UCX and MPI allocate another as they go."
    ),
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp at 012f8ad and a2b0265, "
        "cacheFormatter.cpp (AgentConnection), docs disagg-serving.md at 0434b98, NVIDIA/TensorRT-LLM#11082; "
        "ai-dynamo/aiconfigurator#459; ai-dynamo/dynamo#12276"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Set max_tokens_in_buffer on prefill and decode to the longest prompt that is sent, rounded up to a "
        "multiple of kv_cache_config.tokens_per_block, 32 by default."
    ),
)
def transfer_buffer_holds_the_prompt(graph: ResourceGraph) -> Iterator[Observation]:
    """Transfer buffer is smaller than the longest prompt, or holds no whole blocks."""
    yield from TENSORRT_LLM_WORKERS.judge(graph, _broken_blocks)
    yield from DISAGGREGATED.judge(graph, _too_small_buffers)


def _broken_blocks(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    settings = read_settings(graph, worker)
    if transceiver_backend(settings) is None:
        return
    buffer, block = transfer_buffer(settings), tokens_per_block(settings)
    if buffer is None or block.value == 0 or buffer.value % block.value == 0:
        return
    above = -(-buffer.value // block.value) * block.value
    yield (
        f"max_tokens_in_buffer {buffer.value} ({buffer.source}) is no multiple of tokens_per_block "
        f"{block.value} ({block.source}); the next one is {above}"
    )


def _too_small_buffers(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    if not all(is_tensorrt_llm(worker) for worker in group.workers):
        return
    prompts = [longest_prompt(read_settings(graph, worker), read_gpt_oss(worker)) for worker in group.prefill]
    longest = max(prompts, key=lambda prompt: prompt.value)
    workers: Subjects[Worker] = Subjects(lambda _: group.workers, passed_over=(EngineFileProblem,))
    yield from workers.judge(graph, partial(_too_small_buffer, longest))


def _too_small_buffer(longest: Count, graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    backend = effective_backend(graph, worker)
    buffer = transfer_buffer(read_settings(graph, worker))
    if backend not in BACKENDS_WITH_FIXED_BUFFERS or buffer is None or buffer.value >= longest.value:
        return
    message = (
        f"its transfer buffer holds {buffer.value} tokens ({buffer.source}), but prefill admits prompts of "
        f"{longest.value} ({longest.source}), and buffers of {backend} do not grow"
    )
    is_read = by_line(lambda line: line >= READ_SINCE, worker.container, worker.template)
    yield message if is_read else Undecided(message)


_REUSE = ("kv_cache_config", "enable_block_reuse")
_NO_OVERLAP = "disable_overlap_scheduler"


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "With block reuse, a transfer that is sent while the worker goes on can hang. The Python transceiver "
        "takes NIXL alone and the C++ one the cache of the first manager alone. Engines from before "
        "January 2026 end at start with the overlap scheduler in prefill, and NVIDIA's own "
        "configurations still turn it off."
    ),
    source=(
        "NVIDIA/TensorRT-LLM#12542, NVIDIA/TensorRT-LLM#18134, NVIDIA/TensorRT-LLM#10755; its branch "
        "gh-pages, CacheTransceiverConfig of 1.3.0rc28 (llm-api/reference) at c16b320, and the page of "
        "1.4.0rc1; ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "TensorRT-LLM 1.3.0rc28 and 1.4.0rc1"),
    fix=(
        "Write kv_cache_config.enable_block_reuse: false, for prefill disable_overlap_scheduler: true, "
        "and on both sides transceiver_runtime: CPP and use_kv_cache_manager_v2: false, or backend NIXL."
    ),
)
def kv_transfer_is_safe(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Settings of a prefill or decode worker endanger the transfer of its KV cache."""
    settings = read_settings(graph, worker)
    role = read_role(worker)
    if role == "aggregated":
        return
    if role == "prefill" and not settings.switch(_NO_OVERLAP):
        source = settings.setting(_NO_OVERLAP, default=False).source
        yield f"prefills with the overlap scheduler on: {_NO_OVERLAP} false ({source})"
    written = transceiver_backend(settings)
    if written is not None and settings.switch(*_REUSE, default=True):
        reuse = settings.setting(*_REUSE, default=True)
        yield (
            f"reuses blocks of its KV cache (enable_block_reuse {str(reuse.value).lower()}, {reuse.source}) "
            f"and transfers it by {written.value} ({written.source})"
        )
    backend = effective_backend(graph, worker)
    if backend is not None:
        yield from _unfit_transceiver(settings, backend)


def _unfit_transceiver(settings: Effective, backend: str) -> Iterator[str]:
    named = settings.at("cache_transceiver_config", "transceiver_runtime")
    second = settings.at("kv_cache_config", "use_kv_cache_manager_v2")
    if named is not None and named.value == "CPP":
        if second is not None and second.value is True:
            yield (
                f"has the C++ transceiver ({named.source}) and the second manager of the KV cache "
                f"(use_kv_cache_manager_v2, {second.source})"
            )
    elif named is not None and named.value == "PYTHON" and backend != "NIXL":
        yield f"transfers by {backend} with the Python transceiver ({named.source})"
