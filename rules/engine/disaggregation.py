"""What prefill and decode workers must agree on, and settings that endanger the hand-over of KV cache."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.disaggregation import Disaggregated, read_role
from rules.reading.engines.models import read_model_limits, served_name
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings, is_tensorrt_llm, read_tensorrt_llm
from rules.reading.kv_cache import effective_backend, tokens_per_block, transceiver_backend
from rules.reading.pods.workers import Worker
from rules.reading.releases import Line, by_line
from rules.rule import rule
from rules.subjects import DISAGGREGATED, TENSORRT_LLM_WORKERS, TensorRtLlmWorker


@rule(
    DISAGGREGATED,
    severity=Severity.MANDATORY,
    reason=(
        "The frontend brings prefill and decode together by the model's name: with two names prefill is "
        "never called, and its GPUs idle. A cache of another model has another shape, and the receiving side "
        "refuses one whose blocks differ from its own."
    ),
    source=(
        "ai-dynamo/dynamo lib/llm/src/discovery/model_manager.rs (activate_prefill_router); "
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp (inquireSupport)"
    ),
    lines=("Dynamo 1.2", "TensorRT-LLM 1.3.0rc14"),
    fix=(
        "Give --model, --served-model-name and kv_cache_config.tokens_per_block the same value on every "
        "worker of the graph."
    ),
)
def prefill_and_decode_agree(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    """Prefill and decode differ in model, served name or size of KV blocks."""
    names = {worker.name: served_name(graph, worker) for worker in group.workers}
    yield from _different(
        "their models have different names",
        {name: (found.value, f" ({found.source})") for name, found in names.items() if found is not None},
    )
    models = {worker.name: read_model_limits(graph, worker) for worker in group.workers}
    yield from _different(
        "they load different models",
        {name: (model.name, "") for name, model in models.items() if model is not None},
    )
    if all(is_tensorrt_llm(worker) for worker in group.workers):
        sizes = {each.name: tokens_per_block(read_tensorrt_llm(graph, each)) for each in group.workers}
        yield from _different(
            "their tokens_per_block differ",
            {name: (size.value, f" ({size.source})") for name, size in sizes.items()},
        )


def _different(what: str, found: Mapping[str, tuple[object, str]]) -> Iterator[str]:
    if len({str(value) for value, _ in found.values()}) > 1:
        shown = ", ".join(f"{name} {value}{source}" for name, (value, source) in found.items())
        yield f"{what}: {shown}"


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


def _unfit_transceiver(worker: Worker, settings: TensorRtLlmSettings, backend: str) -> Iterator[str]:
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
