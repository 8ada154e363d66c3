"""What prefill and decode workers must agree on, and settings that endanger the hand-over of KV cache."""

from collections.abc import Iterator

from engines.effective import Effective
from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.disaggregation import read_role
from rules.reading.kv_cache import effective_backend, transceiver_backend
from rules.reading.pods.workers import Worker
from rules.reading.releases import Line, by_line
from rules.rule import rule
from rules.subjects import TENSORRT_LLM_WORKERS, TensorRtLlmWorker

_RUNTIME = ("cache_transceiver_config", "transceiver_runtime")
_MANAGER = ("kv_cache_config", "use_kv_cache_manager_v2")
_REUSE = ("kv_cache_config", "enable_block_reuse")
_NO_OVERLAP = "disable_overlap_scheduler"
_CHOSEN_SINCE = (1, 6)


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "With block reuse, a transfer that is sent while the worker goes on can hang. The Python transceiver "
        "takes NIXL alone and the C++ one the cache of the first manager alone, and where nobody names one "
        "the engine of Dynamo 1.6 or later chooses. Engines from before January 2026 end at start with the "
        "overlap scheduler in prefill, and NVIDIA's own configurations still turn it off."
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
def kv_transfer_is_safe(graph: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """Settings of a prefill or decode worker endanger the transfer of its KV cache."""
    worker, settings, role = engine.worker, engine.settings, read_role(engine.worker)
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
        yield from _unfit_transceiver(worker, settings, backend)


def _unfit_transceiver(worker: Worker, settings: Effective, backend: str) -> Iterator[str]:
    named, second = settings.at(*_RUNTIME), settings.at(*_MANAGER)
    if named is not None and named.value == "CPP":
        if second is not None and second.value is True:
            yield (
                f"has the C++ transceiver ({named.source}) and the second manager of the KV cache "
                f"(use_kv_cache_manager_v2, {second.source})"
            )
    elif backend == "NIXL":
        return
    elif named is not None and named.value == "PYTHON":
        yield f"transfers by {backend} with the Python transceiver ({named.source})"
    elif named is None and by_line(_is_chosen, worker.container, worker.described_by):
        yield f"transfers by {backend} and names no transceiver, so its engine may choose the Python one"


def _is_chosen(line: Line) -> bool:
    return line >= _CHOSEN_SINCE
