"""What a worker of gpt-oss does with the memory of one GPU, as far as its settings say.

An estimate, in the order in which the engine proceeds: weights, one run at the largest batch, the KV cache
from what is left, and at last the buffers that carry the cache between workers.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from engines.memory import GIB, ExpertPadding, MemoryDemand, Sharding, kv_bytes, memory_demand
from engines.models import ModelShape
from engines.quantization import KV_VALUE_BYTES
from hardware import Accelerator
from rules.reading.shapes import Undecided

# One to send and one to receive (NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransBuffer.cpp).
_BUFFERS = 2
_LARGEST = 10**12


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
    max_cache_tokens: int | None
    """Tokens that the pool holds at most; None where nobody says."""
    max_seq_len: int
    max_seq_len_source: str
    max_batch_size: int | None
    """Sequences that run at once in each rank; None where nobody says."""
    max_batch_size_source: str | None
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
        sizes = [self.sharding.tensor, self.sharding.expert, self.max_num_tokens, self.max_seq_len]
        if min(sizes) < 1 or self.sharding.expert > self.sharding.tensor:
            raise Undecided("its parallelism or its limits of tokens are none that an engine runs with")
        sizes += [self.max_batch_size or 0, self.buffer_tokens, self.max_cache_tokens or 0]
        if max(sizes) > _LARGEST:
            raise Undecided(f"one of its limits is above {_LARGEST:,}, which no engine runs with")
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
        everything = dataclasses.replace(self, windows=())
        return _BUFFERS * everything.sequence_gib(self.buffer_tokens)

    def pool_words(self, memory: "MemoryOnGpu") -> str:
        """The KV cache's share, for a message."""
        of_what = "the whole" if self.fraction_is_of_total else "the rest"
        share = f"{self.fraction:g} of {of_what} ({self.fraction_source})"
        by = f" (by {', '.join(self.decided_by)})" if self.decided_by else ""
        return (
            f"{memory}{by}; {share} leaves {max(0.0, memory.pool):.1f} GiB for a KV cache in {self.kv_format}"
        )

    @property
    def batch_words(self) -> str:
        """The sequences that run at once, for a message behind `pool_words`."""
        return f"{self.max_batch_size:,} sequences{self._other(self.max_batch_size_source)}"

    @property
    def length_words(self) -> str:
        """The length of a sequence, likewise."""
        return f"{self.max_seq_len:,} tokens{self._other(self.max_seq_len_source)}"

    def _other(self, source: str | None) -> str:
        """Return a source that the pool's words do not name."""
        return "" if source in {None, self.fraction_source} else f" ({source})"

    def on(self, accelerator: Accelerator) -> "MemoryOnGpu":
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
        if self.max_cache_tokens is not None:
            pool = min(pool, self.sequence_gib(self.max_cache_tokens))
        return MemoryOnGpu(accelerator, visible, demand, pool)


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
