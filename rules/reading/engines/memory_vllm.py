"""The memory plan of a worker that runs vLLM."""

from engines import SLIDING_WINDOW, ExpertKernels, ModelShape, Sharding, default_vllm_kernels
from hardware import Accelerator
from resource_graph import ResourceGraph
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.engines.kv_formats import read_kv_format
from rules.reading.engines.memory_plans import MemoryPlan
from rules.reading.engines.vllm_experts import AUTO, read_vllm_backend, read_vllm_variables
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

_DEFAULT_FRACTION = 0.92
# Of its server on GPUs with much memory; elsewhere it is less.
_DEFAULT_BATCHED_TOKENS = 8192
_FRACTION = "--gpu-memory-utilization"
_NOT_COVERED = (
    "--speculative-config",
    "--cpu-offload-gb",
    "--kv-cache-memory-bytes",
    "--num-gpu-blocks-override",
    "--enable-lora",
)


def vllm_plan(
    graph: ResourceGraph, worker: Worker, settings: CommandSettings, model: ModelShape
) -> MemoryPlan:
    """What the worker does with a GPU's memory.

    Raises:
        Undecided: a setting is unknown, or of a kind that the estimate does not cover.
    """
    kv_format = read_kv_format(graph, worker)
    assert kv_format is not None
    length = settings.count("--max-model-len", model.max_positions)
    fraction = settings.setting(_FRACTION, _DEFAULT_FRACTION)
    return MemoryPlan(
        model=model,
        sharding=_sharding(settings),
        kernels=lambda accelerator: _kernels(settings, accelerator),
        max_num_tokens=settings.count("--max-num-batched-tokens", _DEFAULT_BATCHED_TOKENS).value,
        fraction=_number(fraction.value, fraction.source),
        fraction_is_of_total=True,
        fraction_source=fraction.source,
        kv_format=kv_format.text,
        windows=_windows(settings, model),
        max_cache_tokens=None,
        max_seq_len=length.value,
        max_seq_len_source=length.source,
        max_batch_size=None
        if settings.at("--max-num-seqs") is None
        else settings.count("--max-num-seqs", 0).value,
        not_covered=_not_covered(settings),
        # Its connectors copy between the caches themselves.
        buffer_tokens=0,
    )


def _not_covered(settings: CommandSettings) -> str | None:
    for flag in _NOT_COVERED:
        if settings.at(flag) is not None or settings.switch(flag):
            return flag
    if settings.count("--pipeline-parallel-size", 1).value > 1:
        return "--pipeline-parallel-size"
    if (
        settings.count("--data-parallel-size", 1).value
        > 1
        < settings.count("--tensor-parallel-size", 1).value
    ):
        return "--data-parallel-size with --tensor-parallel-size"
    return None


def _sharding(settings: CommandSettings) -> Sharding:
    tensor = settings.count("--tensor-parallel-size", 1).value
    data = settings.count("--data-parallel-size", 1).value
    if data == 1:
        return Sharding(tensor, tensor if settings.switch("--enable-expert-parallel") else 1)
    # The ranks share the experts, and each has the whole attention.
    expert = data if settings.switch("--enable-expert-parallel") else 1
    return Sharding(data, expert, attention_data_parallel=True)


def _kernels(settings: CommandSettings, accelerator: Accelerator) -> ExpertKernels:
    backend = read_vllm_backend(settings).value
    if backend == AUTO:
        wanted = [variable.name for variable in read_vllm_variables(settings.command.environment)]
        by_default = default_vllm_kernels(accelerator) == "flashinfer_trtllm"
        is_trtllm = by_default and not any("CUTLASS" in name or "MARLIN" in name for name in wanted)
    else:
        is_trtllm = backend == "flashinfer_trtllm"
    return "vllm TRTLLM" if is_trtllm else "vllm"


def _windows(settings: CommandSettings, model: ModelShape) -> tuple[int, ...]:
    # Sliding layers are bounded unless something moves the cache, which turns that off by itself.
    hybrid_is_off = settings.switch("--disable-hybrid-kv-cache-manager")
    if hybrid_is_off is None:
        hybrid_is_off = settings.at("--kv-transfer-config") is not None
    return () if hybrid_is_off else (SLIDING_WINDOW, model.max_positions)


def _number(value: object, source: str) -> float:
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise Undecided(f"{_FRACTION} ({source}) is {value!r}, not a number")
