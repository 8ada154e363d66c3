"""The memory plan of a worker that runs TensorRT-LLM."""

from collections.abc import Sequence

from engines import DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS, ExpertKernels, ModelShape, Sharding
from hardware import Accelerator
from resource_graph import ResourceGraph
from rules.reading.engines.expert_kernels import kernels_on, read_expert_parallel_size
from rules.reading.engines.kv_formats import read_kv_format
from rules.reading.engines.memory_plans import MemoryPlan
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, whole_number

_DEFAULT_FRACTION = 0.9
_KV = "kv_cache_config"
_TRANSCEIVER = "cache_transceiver_config"


def tensorrt_llm_plan(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings, model: ModelShape
) -> MemoryPlan:
    """What the worker does with a GPU's memory.

    Raises:
        Undecided: a setting is unknown, or of a kind that the estimate does not cover.
    """
    kv_format = read_kv_format(graph, worker)
    assert kv_format is not None
    length = settings.count("max_seq_len", default=model.max_positions)
    batch = settings.count("max_batch_size", default=DEFAULT_MAX_BATCH_SIZE)

    def kernels(accelerator: Accelerator) -> ExpertKernels:
        backend = kernels_on(settings, accelerator).backend
        return "tensorrt-llm TRTLLM" if backend == "TRTLLM" else "tensorrt-llm"

    return MemoryPlan(
        model=model,
        sharding=Sharding(
            tensor=settings.count("tensor_parallel_size", default=1).value,
            expert=read_expert_parallel_size(settings),
            attention_data_parallel=settings.switch("enable_attention_dp"),
        ),
        kernels=kernels,
        max_num_tokens=settings.count("max_num_tokens", default=DEFAULT_MAX_NUM_TOKENS).value,
        fraction=settings.number(_KV, "free_gpu_memory_fraction", default=_DEFAULT_FRACTION),
        fraction_is_of_total=False,
        fraction_source=settings.setting(_KV, "free_gpu_memory_fraction", default=_DEFAULT_FRACTION).source,
        kv_format=kv_format.text,
        windows=_windows(settings),
        max_cache_tokens=_max_tokens(settings),
        max_seq_len=length.value,
        max_seq_len_source=length.source,
        # The default is no statement of how many run at once.
        max_batch_size=None if batch.value == DEFAULT_MAX_BATCH_SIZE else batch.value,
        not_covered=_not_covered(settings),
        buffer_tokens=_buffer_tokens(settings, length.value),
    )


def _not_covered(settings: TensorRtLlmSettings) -> str | None:
    for path in (("speculative_config",), ("decoding_config",), (_KV, "max_gpu_total_bytes")):
        found = settings.at(*path)
        if found is not None and found.value != 0:
            return f"{'.'.join(path)} ({found.source})"
    return None


def _max_tokens(settings: TensorRtLlmSettings) -> int | None:
    found = settings.at(_KV, "max_tokens")
    return None if found is None else whole_number(found.value, f"{_KV}.max_tokens in {found.source}")


def _windows(settings: TensorRtLlmSettings) -> tuple[int, ...]:
    found = settings.at(_KV, "max_attention_window")
    if found is None:
        return ()
    what = f"{_KV}.max_attention_window in {found.source}"
    if not isinstance(found.value, Sequence) or isinstance(found.value, str):
        raise Undecided(f"{what} is {found.value!r}, not a list")
    return tuple(whole_number(item, what) for item in found.value)


def _buffer_tokens(settings: TensorRtLlmSettings, max_seq_len: int) -> int:
    if settings.at(_TRANSCEIVER, "backend") is None:
        return 0
    # Unset it holds the longest sequence (NVIDIA/TensorRT-LLM#11082).
    return settings.count(_TRANSCEIVER, "max_tokens_in_buffer", default=max_seq_len).value
