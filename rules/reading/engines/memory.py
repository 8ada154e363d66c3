"""The memory of every GPU that a worker of gpt-oss can land on, under TensorRT-LLM and vLLM."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from engines.effective import Effective, EngineFileProblem, flag_of
from engines.memory import SLIDING_WINDOW, ExpertPadding, Sharding
from engines.models import ModelShape
from engines.tensorrt_llm.kernels import tensorrt_llm_padding
from engines.tensorrt_llm.keys import DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS
from engines.vllm.kernels import default_vllm_kernels, vllm_padding
from engines.written_values import number
from hardware import Accelerator
from resource_graph import ResourceGraph
from rules.reading.engines.expert_kernels import (
    VLLM_AUTO,
    kernels_on,
    read_expert_parallel_size,
    read_vllm_backend,
    read_vllm_variables,
)
from rules.reading.engines.memory_plans import MemoryOnGpu, MemoryPlan
from rules.reading.engines.models import read_checkpoint
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.kv_cache import read_kv_format, transceiver_backend, transfer_buffer
from rules.reading.kv_ways import KV_TRANSFER
from rules.reading.placements import read_landing
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, memoized, whole_number
from rules.reading.typed_settings import typed_options

# What the device plugin appends to the product of a GPU that several pods use in turns.
_TIME_SLICED = "-SHARED"
_KV = "kv_cache_config"


@dataclass(frozen=True, slots=True)
class _Names:
    """What an engine calls the settings that decide its memory."""

    length: str
    batch: str
    step: str
    fraction: tuple[str, ...]
    default_fraction: float


_OF_TENSORRT_LLM = _Names(
    "max_seq_len", "max_batch_size", "max_num_tokens", (_KV, "free_gpu_memory_fraction"), 0.9
)
# vLLM's server steps over 8192 tokens too, on GPUs with much memory; on others over less.
_OF_VLLM = _Names(
    "max_model_len", "max_num_seqs", "max_num_batched_tokens", ("gpu_memory_utilization",), 0.92
)
_DECIDES_DEMAND = frozenset(
    {
        "tensor_parallel_size",
        "data_parallel_size",
        "moe_expert_parallel_size",
        "enable_expert_parallel",
        "enable_attention_dp",
        "max_num_tokens",
        "max_num_batched_tokens",
        "kv_cache_config.dtype",
        "kv_cache_dtype",
    }
)
_NOT_COVERED_OF_VLLM = (
    "speculative_config",
    "cpu_offload_gb",
    "kv_cache_memory_bytes",
    "num_gpu_blocks_override",
    "enable_lora",
)
_NOT_COVERED_OF_TENSORRT_LLM = (("speculative_config",), ("decoding_config",), (_KV, "max_gpu_total_bytes"))


@memoized
def memory_on_each_gpu(graph: ResourceGraph, worker: Worker) -> Sequence[MemoryOnGpu]:
    """The plan of a worker of gpt-oss on each GPU that it can land on."""
    landing = read_landing(graph, worker)
    if _TIME_SLICED in landing.source:
        raise Undecided(
            f"its GPU is shared in turns ({landing.source}) and its memory is not divided; how many workers "
            "take a part of it is not seen here"
        )
    plan = read_memory_plan(graph, worker)
    return [] if plan is None else [plan.on(accelerator) for accelerator in landing.accelerators]


@memoized
def read_memory_plan(graph: ResourceGraph, worker: Worker) -> MemoryPlan | None:
    """What a worker of gpt-oss does with a GPU's memory; None for any other worker."""
    if not is_tensorrt_llm(worker) and not is_vllm(worker):
        return None
    model = read_checkpoint(graph, worker).mxfp4
    if model is None:
        return None
    try:
        plan = _plan(graph, worker, read_settings(graph, worker), model)
    except EngineFileProblem:
        # Engine-file rules report the failure; nobody can say more.
        return None
    typed = typed_options(graph, worker.resource, worker.name)
    return replace(plan, decided_by=tuple(key for option, key in typed.items() if option in _DECIDES_DEMAND))


def _plan(graph: ResourceGraph, worker: Worker, settings: Effective, model: ModelShape) -> MemoryPlan:
    kv_format = read_kv_format(graph, worker)
    assert kv_format is not None
    names = _OF_VLLM if settings.is_vllm else _OF_TENSORRT_LLM
    length = settings.count(names.length, default=model.max_positions)
    batch = settings.given_count(names.batch)
    if batch is not None and not settings.is_vllm and batch.value == DEFAULT_MAX_BATCH_SIZE:
        # The default of the flag does not say how many sequences run at once.
        batch = None
    fraction = settings.setting(*names.fraction, default=names.default_fraction)
    tokens = None if settings.is_vllm else settings.given_count(_KV, "max_tokens")
    return MemoryPlan(
        model=model,
        sharding=_sharding(settings),
        padding=partial(_padding, settings),
        max_num_tokens=settings.count(names.step, default=DEFAULT_MAX_NUM_TOKENS).value,
        fraction=number(fraction.value, f"{'.'.join(names.fraction)} in {fraction.source}"),
        fraction_is_of_total=settings.is_vllm,
        fraction_source=fraction.source,
        kv_format=kv_format.value,
        windows=_windows(settings, model),
        max_cache_tokens=None if tokens is None else tokens.value,
        max_seq_len=length.value,
        max_seq_len_source=length.source,
        max_batch_size=None if batch is None else batch.value,
        max_batch_size_source=None if batch is None else batch.source,
        not_covered=_not_covered(settings),
        # vLLM's connectors copy between the caches themselves. Unset TensorRT-LLM's buffer holds the longest
        # sequence (NVIDIA/TensorRT-LLM#11082).
        buffer_tokens=0
        if settings.is_vllm or transceiver_backend(settings) is None
        else (transfer_buffer(settings) or length).value,
    )


def _not_covered(settings: Effective) -> str | None:
    if not settings.is_vllm:
        told = ((".".join(path), settings.at(*path)) for path in _NOT_COVERED_OF_TENSORRT_LLM)
        return next((f"{name} ({each.source})" for name, each in told if each and each.value != 0), None)
    for name in _NOT_COVERED_OF_VLLM:
        given = settings.at(name)
        if given is not None and given.value is not False:
            return flag_of(name)
    if settings.count("pipeline_parallel_size", default=1).value > 1:
        return "--pipeline-parallel-size"
    data, tensor = (settings.count(f"{kind}_parallel_size", default=1).value for kind in ("data", "tensor"))
    return "--data-parallel-size with --tensor-parallel-size" if data > 1 and tensor > 1 else None


def _sharding(settings: Effective) -> Sharding:
    tensor = settings.count("tensor_parallel_size", default=1).value
    if not settings.is_vllm:
        is_whole = settings.switch("enable_attention_dp")
        return Sharding(tensor, read_expert_parallel_size(settings), attention_data_parallel=is_whole)
    data = settings.count("data_parallel_size", default=1).value
    # The ranks share the experts, and each has the whole attention.
    ranks = tensor if data == 1 else data
    expert = ranks if settings.switch("enable_expert_parallel") else 1
    return Sharding(ranks, expert, attention_data_parallel=data > 1)


def _padding(settings: Effective, accelerator: Accelerator) -> ExpertPadding:
    if not settings.is_vllm:
        return tensorrt_llm_padding(kernels_on(settings, accelerator).backend)
    asked = str(read_vllm_backend(settings).value)
    if asked != VLLM_AUTO:
        return vllm_padding(asked)
    wanted = [name for name, _ in read_vllm_variables(settings.environment)]
    # What the variables ask for is padded as every backend but the default one is.
    is_default = not any("CUTLASS" in name or "MARLIN" in name for name in wanted)
    return vllm_padding(default_vllm_kernels(accelerator) if is_default else VLLM_AUTO)


def _windows(settings: Effective, model: ModelShape) -> tuple[int, ...]:
    if settings.is_vllm:
        # Sliding layers are bounded unless something moves the cache, which turns that off by itself.
        moves = settings.at(KV_TRANSFER) is not None
        is_off = settings.switch("disable_hybrid_kv_cache_manager", default=moves)
        return () if is_off else (SLIDING_WINDOW, model.max_positions)
    found = settings.setting(_KV, "max_attention_window", default=[])
    what = f"{_KV}.max_attention_window in {found.source}"
    if not isinstance(found.value, list):
        raise Undecided(f"{what} is {found.value!r}, not a list")
    return tuple(whole_number(item, what) for item in cast("list[object]", found.value))
