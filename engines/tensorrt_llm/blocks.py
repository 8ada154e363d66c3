"""The nested parts of the engine's options, under the engine's own names.

Fields, values and defaults are those of NVIDIA/TensorRT-LLM `tensorrt_llm/llmapi/llm_args.py`, release
1.3.0rc14. None always means "not written to the engine file": the engine's default holds.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from engines.option_block import KvDtype, NonNegativeInt, OptionBlock, PositiveInt
from engines.tensorrt_llm.kernels import MoeBackend
from engines.tensorrt_llm.keys import REMOVED_ENGINE_KEYS

# A list of YAML is no tuple to strict types, save in pydantic's own JSON parser, which a validator that runs
# before it turns off.
Sizes = Annotated[tuple[PositiveInt, ...], Field(strict=False, min_length=1)]
Fraction = Annotated[float, Field(gt=0, lt=1)]
TransceiverBackend = Literal["DEFAULT", "UCX", "NIXL", "MOONCAKE", "MPI"]
BACKENDS_WITH_FIXED_BUFFERS: frozenset[TransceiverBackend] = frozenset({"DEFAULT", "NIXL", "MOONCAKE"})
"""Those whose buffers are allocated once; a longer prompt ends the transfer with a failed check. The others
allocate another buffer for it (NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp,
AgentConnection)."""


class EngineBlock(OptionBlock, frozen=True):
    """Options that end up side by side in the engine file."""

    removed: ClassVar[Mapping[str, str]] = REMOVED_ENGINE_KEYS


class AttentionDpConfig(EngineBlock, frozen=True):
    """How attention data parallelism spreads requests over its ranks; without effect where it is off."""

    enable_balance: bool | None = None
    """Hold requests back until every rank has one to start. Default: false."""
    timeout_iters: NonNegativeInt | None = None
    """Scheduling steps that a request is held back at most. Default: 50."""
    batching_wait_iters: NonNegativeInt | None = None
    """Steps to wait for more requests to batch. Default: 10."""


class CacheTransceiverConfig(EngineBlock, frozen=True):
    """How KV-cache blocks leave a prefill worker and enter a decode worker."""

    backend: TransceiverBackend | None = None
    """DEFAULT is NIXL. Without one nothing is transferred."""
    max_tokens_in_buffer: NonNegativeInt | None = None
    """Tokens that a transfer buffer holds, a multiple of tokens_per_block; 0: each transfer allocates its
    own. Default: max_seq_len."""
    kv_transfer_timeout_ms: PositiveInt | None = None
    """Default: 60000."""
    kv_transfer_sender_future_timeout_ms: PositiveInt | None = None
    """Default: 1000."""
    transceiver_runtime: Literal["CPP", "PYTHON"] | None = None
    """Default: CPP."""


class CudaGraphConfig(EngineBlock, frozen=True):
    """Batch sizes whose decoding steps are captured as CUDA graphs; larger batches run without."""

    batch_sizes: Sizes | None = None
    """Exactly these. Sizes above the engine's max_batch_size are dropped silently."""
    enable_padding: bool | None = None
    """Run a batch in the graph of the next larger size. Default: false."""
    max_batch_size: PositiveInt | None = None
    """Capture a series of sizes up to this one. Default: 128."""

    @model_validator(mode="after")
    def _one_largest_size(self) -> "CudaGraphConfig":
        if self.batch_sizes and self.max_batch_size and self.max_batch_size != max(self.batch_sizes):
            raise ValueError(
                f"cuda_graph_config.max_batch_size {self.max_batch_size} is not the largest of batch_sizes; "
                f"write max_batch_size: {max(self.batch_sizes)}, or only one of the two (null removes one)"
            )
        return self


class KvCacheConfig(EngineBlock, frozen=True):
    """The paged KV cache of one GPU."""

    # The PyTorch backend ends with a ValueError on anything else, on the formats that `auto` stands for too
    # (NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/model_loader.py, validate_and_set_kv_cache_quant).
    dtype: KvDtype | None = None
    """Default: auto, the type of the checkpoint's attention layers."""
    enable_block_reuse: bool | None = None
    """Keep blocks of common prefixes. Default: true; with KV transfer it can hang
    (NVIDIA/TensorRT-LLM#12542)."""
    enable_partial_reuse: bool | None = None
    free_gpu_memory_fraction: Fraction | None = None
    """Share of what is free after weights and activations, not of the whole memory. Default: 0.9."""
    max_tokens: PositiveInt | None = None
    """Tokens at most, if the fraction would give more."""
    max_attention_window: Sizes | None = None
    """Window of each layer, repeated over the layers; without it sliding layers keep all tokens."""
    tokens_per_block: PositiveInt | None = None
    """Default: 32."""
    host_cache_size: NonNegativeInt | None = None
    """Bytes of host memory for blocks that leave the GPU. Default: none."""
    event_buffer_max_size: NonNegativeInt | None = None
    """KV-cache events kept for a router that asks for them. Default: 0."""
    use_kv_cache_manager_v2: bool | None = None
    """Default: what the model prefers, where Dynamo's line has a choice; CPP transfers need false."""


class MoeConfig(EngineBlock, frozen=True):
    """Which kernels run the experts."""

    backend: Literal["AUTO", MoeBackend] | None = None
    """Default: AUTO, for gpt-oss TRTLLM on Blackwell."""
    max_num_tokens: PositiveInt | None = None
    """Tokens that go through the experts at once; longer batches are split."""


class SchedulerConfig(EngineBlock, frozen=True):
    """Which requests run next."""

    capacity_scheduler_policy: Literal["GUARANTEED_NO_EVICT", "MAX_UTILIZATION", "STATIC_BATCH"] | None = None
    """Default: GUARANTEED_NO_EVICT, which never takes the cache of a running request."""
    context_chunking_policy: Literal["FIRST_COME_FIRST_SERVED", "EQUAL_PROGRESS"] | None = None
    waiting_queue_policy: Literal["fcfs", "priority"] | None = None
    use_python_scheduler: bool | None = None
