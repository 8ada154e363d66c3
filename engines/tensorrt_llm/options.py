"""Typed options of the TensorRT-LLM engine: what stands in the engine file of a worker.

Field names are the engine's own (`tensorrt_llm.llmapi.llm_args.TorchLlmArgs`, release 1.3.0rc14), because the
engine file is where they end up and where its documentation names them. Every option stands in the file and
none on the command line: the engine applies the file after the flags, so a flag beside it is lost or, within
a block, half lost.
"""

from typing import Literal

from pydantic import Field, model_validator

from engines.option_block import KvDtype, NonNegativeInt, PositiveInt, WorkerOptions
from engines.tensorrt_llm.blocks import (
    AttentionDpConfig,
    CacheTransceiverConfig,
    CudaGraphConfig,
    EngineBlock,
    KvCacheConfig,
    MoeConfig,
    SchedulerConfig,
)
from engines.tensorrt_llm.keys import DEFAULT_MAX_BATCH_SIZE, DEFAULT_MAX_NUM_TOKENS, DEFAULT_TOKENS_PER_BLOCK

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
