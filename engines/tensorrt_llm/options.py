"""Typed options of the TensorRT-LLM engine: what stands in the engine file of a worker.

Field names are the engine's own (`tensorrt_llm.llmapi.llm_args.TorchLlmArgs`, release 1.3.0rc14), because the
engine file is where they end up and where its documentation names them. Every option stands in the file and
none on the command line: the engine applies the file after the flags, so a flag beside it is lost or, within
a block, half lost. The nested parts come first; fields, values and defaults are those of that release. None
always means "not written to the engine file": the engine's default holds.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from engines.engine import KvDtype, NonNegativeInt, OptionBlock, PositiveInt, WorkerOptions
from engines.tensorrt_llm.kernels import MoeBackend
from engines.tensorrt_llm.keys import (
    DEFAULT_MAX_BATCH_SIZE,
    DEFAULT_MAX_NUM_TOKENS,
    DEFAULT_TOKENS_PER_BLOCK,
    REMOVED_ENGINE_KEYS,
)

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


AllReduceStrategy = Literal[
    "AUTO", "NCCL", "UB", "MINLATENCY", "ONESHOT", "TWOSHOT", "LOWPRECISION", "MNNVL", "NCCL_SYMMETRIC"
]


class EngineSettings(EngineBlock, frozen=True):
    """Engine options of one role, all of them optional; None is the engine's default.

    What a stack's settings may override in a recipe, key by key.
    """

    tensor_parallel_size: PositiveInt | None = None
    """GPUs that share every layer. With attention data parallelism these are its ranks too."""
    pipeline_parallel_size: PositiveInt | None = None
    context_parallel_size: PositiveInt | None = None
    moe_expert_parallel_size: PositiveInt | None = None
    """Groups that the experts are spread over; divides tensor_parallel_size and adds no GPU."""
    moe_tensor_parallel_size: PositiveInt | None = None
    """GPUs that share one expert. Default: tensor_parallel_size / moe_expert_parallel_size."""

    max_batch_size: PositiveInt | None = None
    """Sequences in one step, per rank under attention data parallelism. Default: 2048."""
    max_num_tokens: PositiveInt | None = None
    """Tokens in one step, per rank under attention data parallelism. Default: 8192."""
    max_seq_len: PositiveInt | None = None
    """Prompt and answer together. Default: what the model was made for."""
    max_beam_width: PositiveInt | None = None
    """Default: 1, which KV transfer requires."""

    attention_dp_config: AttentionDpConfig | None = None
    cache_transceiver_config: CacheTransceiverConfig | None = None
    """None: this worker transfers no KV cache."""
    cuda_graph_config: CudaGraphConfig | None = None
    """Graphs are on by default; an explicit null turns them off."""
    kv_cache_config: KvCacheConfig | None = None
    moe_config: MoeConfig | None = None
    scheduler_config: SchedulerConfig | None = None

    allreduce_strategy: AllReduceStrategy | None = None
    disable_overlap_scheduler: bool | None = None
    enable_attention_dp: bool | None = None
    """Each rank computes attention for its own requests, with all attention weights and its own KV cache."""
    enable_chunked_prefill: bool | None = None
    """Without it a prompt longer than max_num_tokens is refused."""
    num_postprocess_workers: NonNegativeInt | None = None
    print_iter_log: bool | None = None
    stream_interval: PositiveInt | None = None
    """Tokens between two messages of a streamed answer. Default: 1."""
    trust_remote_code: bool | None = None


class TensorRtLlmOptions(EngineSettings, WorkerOptions, frozen=True):
    """The engine options of a recipe's worker, complete enough to size it.

    Raises:
        pydantic.ValidationError: an unknown or removed key, a wrong type, or sizes that the engine itself
            refuses.

    """

    # Required: the ellipsis is pydantic's way to say so where the base class has a default.
    tensor_parallel_size: PositiveInt = Field(default=...)
    pipeline_parallel_size: PositiveInt = 1
    context_parallel_size: PositiveInt = 1
    moe_expert_parallel_size: PositiveInt = 1

    @property
    def gpus(self) -> int:
        """GPUs of one worker: attention data parallelism and expert parallelism add none."""
        return self.tensor_parallel_size * self.pipeline_parallel_size * self.context_parallel_size

    @property
    def tokens_per_block(self) -> int:
        """Tokens of one KV-cache block."""
        configured = self.kv_cache_config.tokens_per_block if self.kv_cache_config else None
        return configured or DEFAULT_TOKENS_PER_BLOCK

    @property
    def kv_dtype(self) -> KvDtype:
        """Number format of the KV cache; auto is the checkpoint's."""
        return (self.kv_cache_config.dtype if self.kv_cache_config else None) or "auto"

    @property
    def hands_over(self) -> bool:
        """Whether its KV cache goes to other workers, or comes from them."""
        return self.cache_transceiver_config is not None

    @property
    def draft_model(self) -> str | None:
        """None: its speculative_config is not modelled."""
        return None

    @property
    def host_cache_bytes(self) -> int:
        """Bytes of host memory that hold KV cache, at least: nothing says whether each rank has them."""
        return (self.kv_cache_config.host_cache_size if self.kv_cache_config else None) or 0

    def effective_max_seq_len(self, model_positions: int) -> int:
        """Tokens of prompt and answer together, for a model with that many positions."""
        return self.max_seq_len or model_positions

    def longest_prompt(self, model_positions: int) -> int:
        """Tokens of the longest prompt that the engine answers.

        It refuses one that leaves no room for a token of an answer (tensorrt_llm/executor/base_worker.py,
        _deduce_max_tokens). With the overlap scheduler it counts a token more there, which is the scheduler's
        reserve and promised to nobody.
        """
        length = self.effective_max_seq_len(model_positions) - 1
        return (
            length
            if self.enable_chunked_prefill
            else min(length, self.max_num_tokens or DEFAULT_MAX_NUM_TOKENS)
        )

    @property
    def concurrent_requests(self) -> int:
        """Requests that run at once; more wait. The batch size is one rank's under attention DP."""
        ranks = self.tensor_parallel_size if self.enable_attention_dp else 1
        return (self.max_batch_size or DEFAULT_MAX_BATCH_SIZE) * ranks

    @model_validator(mode="after")
    def _parallel_sizes_fit(self) -> "TensorRtLlmOptions":
        tensor, expert = self.tensor_parallel_size, self.moe_expert_parallel_size
        if tensor % expert:
            allowed = ", ".join(str(size) for size in range(1, tensor + 1) if tensor % size == 0)
            raise ValueError(
                f"moe_expert_parallel_size {expert} must divide tensor_parallel_size {tensor}: write one of "
                f"{allowed}"
            )
        shared = self.moe_tensor_parallel_size
        if shared is not None and shared * expert != tensor:
            raise ValueError(
                f"moe_tensor_parallel_size {shared} x moe_expert_parallel_size {expert} must be "
                f"tensor_parallel_size {tensor}: write {tensor // expert}, or leave it out"
            )
        return self

    @model_validator(mode="after")
    def _transfer_buffer_fits(self) -> "TensorRtLlmOptions":
        transceiver = self.cache_transceiver_config
        if transceiver is None:
            return self
        if transceiver.backend is None:
            raise ValueError(
                "cache_transceiver_config without a backend transfers nothing: write backend: UCX or "
                "backend: NIXL, or leave the block out"
            )
        block, buffer = self.tokens_per_block, transceiver.max_tokens_in_buffer
        if buffer is not None and buffer % block:
            # All workers crash at start otherwise: ai-dynamo/aiconfigurator#459.
            raise ValueError(
                f"max_tokens_in_buffer {buffer} must be a multiple of tokens_per_block {block}: write "
                f"{-(-buffer // block) * block}"
            )
        if (self.max_beam_width or 1) > 1:
            raise ValueError(
                f"max_beam_width {self.max_beam_width}: KV cache is transferred for one beam only; write 1"
            )
        return self
