"""The memory of every GPU that a worker of gpt-oss can land on, under TensorRT-LLM and vLLM."""

from collections.abc import Sequence
from dataclasses import replace

from engines import (
    DEFAULT_MAX_BATCH_SIZE,
    DEFAULT_MAX_NUM_TOKENS,
    SLIDING_WINDOW,
    ExpertPadding,
    ModelShape,
    Sharding,
    default_vllm_kernels,
    tensorrt_llm_padding,
    vllm_padding,
)
from hardware import Accelerator
from resource_graph import ResourceGraph
from rules.reading.engines.command_settings import CommandSettings, is_vllm, read_vllm
from rules.reading.engines.engine_yaml import EngineFileProblem
from rules.reading.engines.expert_kernels import (
    VLLM_AUTO,
    kernels_on,
    read_expert_parallel_size,
    read_vllm_backend,
    read_vllm_variables,
)
from rules.reading.engines.memory_plans import MemoryOnGpu, MemoryPlan
from rules.reading.engines.models import read_checkpoint
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings, is_tensorrt_llm, read_tensorrt_llm
from rules.reading.kv_cache import read_kv_format, transceiver_backend, transfer_buffer
from rules.reading.memoized import memoized_for_each
from rules.reading.placements import read_landing
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, number, whole_number
from rules.reading.typed_settings import typed_options

# What the device plugin appends to the product of a GPU that several pods use in turns.
_TIME_SLICED = "-SHARED"
_FRACTION_OF_REST = 0.9
_KV = "kv_cache_config"
_FRACTION_OF_WHOLE = 0.92
# Default of --max-num-batched-tokens of vLLM's server on GPUs with much memory; on others less.
_DEFAULT_BATCHED_TOKENS = 8192
_FRACTION = "--gpu-memory-utilization"
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
_NOT_COVERED = (
    "--speculative-config",
    "--cpu-offload-gb",
    "--kv-cache-memory-bytes",
    "--num-gpu-blocks-override",
    "--enable-lora",
)


@memoized_for_each
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


@memoized_for_each
def read_memory_plan(graph: ResourceGraph, worker: Worker) -> MemoryPlan | None:
    """What a worker of gpt-oss does with a GPU's memory; None for any other worker."""
    if not is_tensorrt_llm(worker) and not is_vllm(worker):
        return None
    model = read_checkpoint(graph, worker).mxfp4
    if model is None:
        return None
    if is_vllm(worker):
        plan = _vllm_plan(graph, worker, read_vllm(graph, worker), model)
    else:
        try:
            plan = _tensorrt_llm_plan(graph, worker, read_tensorrt_llm(graph, worker), model)
        except EngineFileProblem:
            # Engine-file rules report the failure; nobody can say more.
            return None
    typed = typed_options(graph, worker.resource, worker.name)
    return replace(plan, decided_by=tuple(key for option, key in typed.items() if option in _DECIDES_DEMAND))


def _tensorrt_llm_plan(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings, model: ModelShape
) -> MemoryPlan:
    """What the worker does with a GPU's memory."""
    kv_format = read_kv_format(graph, worker)
    assert kv_format is not None
    length = settings.count("max_seq_len", default=model.max_positions)
    batch = settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)
    tokens = settings.given_count(_KV, "max_tokens")

    def padding(accelerator: Accelerator) -> ExpertPadding:
        return tensorrt_llm_padding(kernels_on(settings, accelerator).backend)

    return MemoryPlan(
        model=model,
        sharding=Sharding(
            tensor=settings.count("tensor_parallel_size", default=1).value,
            expert=read_expert_parallel_size(settings),
            attention_data_parallel=settings.switch("enable_attention_dp"),
        ),
        padding=padding,
        max_num_tokens=settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS).value,
        fraction=settings.number(_KV, "free_gpu_memory_fraction", default=_FRACTION_OF_REST),
        fraction_is_of_total=False,
        fraction_source=settings.setting(_KV, "free_gpu_memory_fraction", default=_FRACTION_OF_REST).source,
        kv_format=kv_format.text,
        windows=_windows_of_tensorrt_llm(settings),
        max_cache_tokens=None if tokens is None else tokens.value,
        max_seq_len=length.value,
        max_seq_len_source=length.source,
        # The default does not say how many sequences run at once.
        max_batch_size=None if batch.value == DEFAULT_MAX_BATCH_SIZE else batch.value,
        max_batch_size_source=batch.source,
        not_covered=_not_covered_of_tensorrt_llm(settings),
        # Unset it holds the longest sequence (NVIDIA/TensorRT-LLM#11082).
        buffer_tokens=(transfer_buffer(settings) or length).value if transceiver_backend(settings) else 0,
    )


def _not_covered_of_tensorrt_llm(settings: TensorRtLlmSettings) -> str | None:
    for path in (("speculative_config",), ("decoding_config",), (_KV, "max_gpu_total_bytes")):
        found = settings.at(*path)
        if found is not None and found.value != 0:
            return f"{'.'.join(path)} ({found.source})"
    return None


def _windows_of_tensorrt_llm(settings: TensorRtLlmSettings) -> tuple[int, ...]:
    found = settings.at(_KV, "max_attention_window")
    if found is None:
        return ()
    what = f"{_KV}.max_attention_window in {found.source}"
    if not isinstance(found.value, Sequence) or isinstance(found.value, str):
        raise Undecided(f"{what} is {found.value!r}, not a list")
    return tuple(whole_number(item, what) for item in found.value)


def _vllm_plan(
    graph: ResourceGraph, worker: Worker, settings: CommandSettings, model: ModelShape
) -> MemoryPlan:
    """What the worker does with a GPU's memory."""
    kv_format = read_kv_format(graph, worker)
    assert kv_format is not None
    length = settings.count("--max-model-len", model.max_positions)
    fraction = settings.setting(_FRACTION, _FRACTION_OF_WHOLE)
    batch = settings.given_count("--max-num-seqs")
    return MemoryPlan(
        model=model,
        sharding=_sharding(settings),
        padding=lambda accelerator: _padding(settings, accelerator),
        max_num_tokens=settings.count("--max-num-batched-tokens", _DEFAULT_BATCHED_TOKENS).value,
        fraction=number(fraction.value, f"{_FRACTION} ({fraction.source})"),
        fraction_is_of_total=True,
        fraction_source=fraction.source,
        kv_format=kv_format.text,
        windows=_windows_of_vllm(settings, model),
        max_cache_tokens=None,
        max_seq_len=length.value,
        max_seq_len_source=length.source,
        max_batch_size=None if batch is None else batch.value,
        max_batch_size_source=None if batch is None else batch.source,
        not_covered=_not_covered_of_vllm(settings),
        # Its connectors copy between the caches themselves.
        buffer_tokens=0,
    )


def _not_covered_of_vllm(settings: CommandSettings) -> str | None:
    for flag in _NOT_COVERED:
        if settings.at(flag) is not None or settings.switch(flag):
            return flag
    if settings.count("--pipeline-parallel-size", 1).value > 1:
        return "--pipeline-parallel-size"
    data, tensor = (settings.count(f"--{kind}-parallel-size", 1).value for kind in ("data", "tensor"))
    if data > 1 and tensor > 1:
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


def _padding(settings: CommandSettings, accelerator: Accelerator) -> ExpertPadding:
    asked = str(read_vllm_backend(settings).value)
    if asked != VLLM_AUTO:
        return vllm_padding(asked)
    wanted = [name for name, _ in read_vllm_variables(settings.command.environment)]
    # What the variables ask for is padded as every backend but the default one is.
    is_default = not any("CUTLASS" in name or "MARLIN" in name for name in wanted)
    return vllm_padding(default_vllm_kernels(accelerator) if is_default else VLLM_AUTO)


def _windows_of_vllm(settings: CommandSettings, model: ModelShape) -> tuple[int, ...]:
    # Sliding layers are bounded unless something moves the cache, which turns that off by itself.
    hybrid_is_off = settings.switch("--disable-hybrid-kv-cache-manager")
    if hybrid_is_off is None:
        hybrid_is_off = settings.at("--kv-transfer-config") is not None
    return () if hybrid_is_off else (SLIDING_WINDOW, model.max_positions)
