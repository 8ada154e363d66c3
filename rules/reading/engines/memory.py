"""The memory of every GPU that a worker of gpt-oss can land on, as far as its settings say.

An estimate, in the order in which the engine proceeds: weights, one run at the largest batch, the KV cache
from what is left, and at last the buffers that carry the cache between workers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from engines.command_line import Count, number
from engines.effective import Effective, EngineFileProblem, flag_of
from engines.memory import GIB, SLIDING_WINDOW, ExpertPadding, MemoryDemand, Sharding, kv_bytes, memory_demand
from engines.models import KV_VALUE_BYTES, ModelShape
from engines.tensorrt_llm.kernels import tensorrt_llm_padding
from engines.tensorrt_llm.keys import DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS
from engines.vllm.engine import default_vllm_kernels, vllm_padding
from hardware import Accelerator
from resource_graph import ResourceGraph
from rules.reading.engines.expert_kernels import (
    VLLM_AUTO,
    kernels_on,
    read_expert_parallel_size,
    read_vllm_backend,
    read_vllm_variables,
)
from rules.reading.engines.models import read_kv_format, read_mxfp4, transceiver_backend, transfer_buffer
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings, typed_options
from rules.reading.kv_ways import KV_TRANSFER
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, memoized, whole_number

_KV = "kv_cache_config"
# Tokens of a sequence, sequences at once, tokens of a step: 8192 for vLLM's server too, on small GPUs fewer.
_LIMITS_OF_TENSORRT_LLM = ("max_seq_len", "max_batch_size", "max_num_tokens")
_LIMITS_OF_VLLM = ("max_model_len", "max_num_seqs", "max_num_batched_tokens")
_DECIDES_DEMAND = (
    "tensor_parallel_size",
    "data_parallel_size",
    "moe_expert_parallel_size",
    "enable_expert_parallel",
    "enable_attention_dp",
    "max_num_tokens",
    "max_num_batched_tokens",
    "kv_cache_config.dtype",
    "kv_cache_dtype",
)
_NOT_COVERED_OF_VLLM = (
    "speculative_config",
    "cpu_offload_gb",
    "kv_cache_memory_bytes",
    "num_gpu_blocks_override",
    "enable_lora",
)
_NOT_COVERED_OF_TENSORRT_LLM = (
    ("speculative_config",),
    ("decoding_config",),
    (_KV, "max_gpu_total_bytes"),
    (_KV, "max_tokens"),
)
# One to send and one to receive (NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp).
_BUFFERS = 2


@dataclass(frozen=True, slots=True)
class MemoryOnGpu:
    """Memory of one GPU under a plan, in GiB."""

    accelerator: Accelerator
    visible: float
    """GiB that CUDA sees of the GPU."""
    demand: MemoryDemand
    pool: float
    """GiB left for the KV cache; negative where nothing is left."""

    @property
    def rest(self) -> float:
        """GiB that neither the pool nor anything before the pool takes."""
        return self.visible - self.demand.total - max(0.0, self.pool)

    def __str__(self) -> str:
        return f"of {self.visible:.1f} GiB that CUDA sees of {self.accelerator.name}, {self.demand} are taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlan:
    """What one worker does with the memory of a GPU of any kind."""

    model: ModelShape
    sharding: Sharding
    padding: Callable[[Accelerator], ExpertPadding]
    """Returns how far the kernels that the worker takes on a GPU pad the experts."""
    max_num_tokens: int
    """Tokens of one step in each rank."""
    fraction: float
    fraction_is_of_total: bool
    """Whether the fraction is of the whole memory, as vLLM's is; TensorRT-LLM's is of what is left for the
    cache."""
    fraction_source: str
    kv_format: str
    windows: tuple[int, ...]
    """Tokens that each layer keeps, a pattern that repeats; empty where every layer keeps all."""
    max_seq_len: Count
    max_batch_size: Count | None
    """Sequences that run at once in each rank; None where nobody says."""
    not_covered: str | None
    """Name of a setting that takes or moves memory in a way that the estimate does not know; None without
    one."""
    buffer_tokens: int
    """Tokens that each buffer for the transfer of KV cache holds; 0 where the cache stays."""
    decided_by: tuple[str, ...] = ()
    """Settings of a stack's file that decide what is taken, or what a sequence takes; no message has their
    values."""

    def __post_init__(self) -> None:
        """Refuse numbers that no engine could run with."""
        sizes = (self.sharding.tensor, self.max_num_tokens, self.max_seq_len.value)
        if min(sizes) < 1 or self.sharding.expert > self.sharding.tensor:
            raise Undecided("its parallelism or its limits of tokens are none that an engine runs with")
        if not 0 < self.fraction <= 1:
            raise Undecided(f"{self.fraction} ({self.fraction_source}) is no share of a GPU's memory")

    def sequence_gib(self, tokens: int) -> float:
        """GiB of one sequence's KV cache on each GPU."""
        value_bytes = KV_VALUE_BYTES.get(self.kv_format)
        if value_bytes is None:
            raise Undecided(f"nothing says how many bytes a value of a KV cache in {self.kv_format} takes")
        return kv_bytes(self.model, tokens, value_bytes, self.sharding, self.windows) / GIB

    @property
    def buffers_gib(self) -> float:
        """GiB of the buffers that carry the cache, on each GPU. They hold all layers in full."""
        return _BUFFERS * replace(self, windows=()).sequence_gib(self.buffer_tokens)

    def pool_words(self, memory: MemoryOnGpu) -> str:
        """The KV cache's share, for a message."""
        of_what = "the whole" if self.fraction_is_of_total else "the rest"
        share = f"{self.fraction:g} of {of_what} ({self.fraction_source})"
        by = f" (by {', '.join(self.decided_by)})" if self.decided_by else ""
        return (
            f"{memory}{by}; {share} leaves {max(0.0, memory.pool):.1f} GiB for a KV cache in {self.kv_format}"
        )

    def on(self, accelerator: Accelerator) -> MemoryOnGpu:
        """The memory of that GPU under the plan."""
        if self.not_covered is not None:
            raise Undecided(f"the estimate of memory does not cover {self.not_covered}")
        visible = accelerator.cuda_visible_memory_gib
        if visible is None:
            raise Undecided(f"nobody published how much memory CUDA sees of {accelerator.name}")
        demand = memory_demand(
            self.model, self.padding(accelerator), self.sharding, max_num_tokens=self.max_num_tokens
        )
        if self.fraction_is_of_total:
            pool = self.fraction * visible - demand.total
        else:
            pool = self.fraction * (visible - demand.total)
        return MemoryOnGpu(accelerator, visible, demand, pool)


@memoized
def read_memory_plan(graph: ResourceGraph, worker: Worker) -> MemoryPlan | None:
    """What a worker of gpt-oss does with a GPU's memory; None for any other worker."""
    if not is_tensorrt_llm(worker) and not is_vllm(worker):
        return None
    model = read_mxfp4(graph, worker)
    if model is None:
        return None
    try:
        return _plan(graph, worker, read_settings(graph, worker), model)
    except EngineFileProblem:
        # Engine-file rules report the failure; nobody can say more.
        return None


def _plan(graph: ResourceGraph, worker: Worker, settings: Effective, model: ModelShape) -> MemoryPlan:
    kv_format = read_kv_format(graph, worker)
    assert kv_format is not None
    sequence, sequences, step = _LIMITS_OF_VLLM if settings.is_vllm else _LIMITS_OF_TENSORRT_LLM
    share = ("gpu_memory_utilization",) if settings.is_vllm else (_KV, "free_gpu_memory_fraction")
    length = settings.count(sequence, default=model.max_positions)
    batch = settings.given_count(sequences)
    if batch is not None and not settings.is_vllm and batch.value == DEFAULT_MAX_BATCH_SIZE:
        # The default of the flag does not say how many sequences run at once.
        batch = None
    fraction = settings.setting(*share, default=0.92 if settings.is_vllm else 0.9)
    has_buffers = not settings.is_vllm and transceiver_backend(settings) is not None
    typed = typed_options(graph, worker.resource, worker.name)
    return MemoryPlan(
        model=model,
        sharding=_sharding(settings),
        padding=partial(_padding, settings),
        max_num_tokens=settings.count(step, default=DEFAULT_MAX_NUM_TOKENS).value,
        fraction=number(fraction.value, f"{'.'.join(share)} in {fraction.source}"),
        fraction_is_of_total=settings.is_vllm,
        fraction_source=fraction.source,
        kv_format=kv_format.value,
        windows=_windows(settings, model),
        max_seq_len=length,
        max_batch_size=batch,
        not_covered=_not_covered(settings),
        # vLLM's connectors copy between the caches themselves. Unset TensorRT-LLM's buffer holds the longest
        # sequence (NVIDIA/TensorRT-LLM#11082).
        buffer_tokens=(transfer_buffer(settings) or length).value if has_buffers else 0,
        decided_by=tuple(key for option, key in typed.items() if option in _DECIDES_DEMAND),
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
        return tensorrt_llm_padding(kernels_on(settings, accelerator).backend.value)
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
