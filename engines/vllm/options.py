"""Typed options of vLLM, under the engine's own names: single ones, and those that are JSON objects."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from engines.engine import KvDtype, OptionBlock, PositiveInt, WorkerOptions

NIXL = "NixlConnector"
"""The connector that hands KV cache from prefill to decode workers; others move it to the host."""
CPU_OFFLOAD = "SimpleCPUOffloadConnector"
"""The connector that keeps blocks in the host's memory which the GPU has no room for."""
_CPU_OFFLOAD_BYTES = 8 * 2**30
"""Of one engine, where nothing is said (vllm-project/vllm vllm/distributed/kv_transfer/kv_connector/v1/
simple_cpu_offload_connector.py at 040c343)."""


class CompilationConfig(OptionBlock, frozen=True):
    """What is compiled, and which batches get a CUDA graph."""

    max_cudagraph_capture_size: PositiveInt | None = None
    """Tokens of the largest batch with a CUDA graph. Default: 1024 for gpt-oss."""
    pass_config: Mapping[str, bool] | None = None
    """Passes of the compiler, on or off."""


class SpeculativeConfig(OptionBlock, frozen=True):
    """A draft model that proposes tokens, which the model checks."""

    method: Literal["eagle3"]
    """How the draft model reads the model's layers."""
    model: str
    """Repository of the draft model, as the model's file names it: it has to be on the model cache."""
    num_speculative_tokens: PositiveInt
    """Tokens proposed at a time."""


class KvEventsConfig(OptionBlock, frozen=True):
    """What a worker says of the blocks that it has; without it a router knows of none."""

    enable_kv_cache_events: bool
    """Default: false."""
    publisher: Literal["zmq", "null"] = "zmq"
    topic: str | None = None
    endpoint: str = Field(pattern=r"^tcp://\*:[0-9]{1,5}$")
    """Where the worker's own runtime fetches them: tcp://*:PORT."""


class KvTransferConfig(OptionBlock, frozen=True):
    """How KV-cache blocks leave a worker, or enter it."""

    kv_connector: str
    """NixlConnector between prefill and decode."""
    kv_role: Literal["kv_producer", "kv_consumer", "kv_both"]
    kv_buffer_device: Literal["cuda", "cpu"] | None = None
    kv_connector_extra_config: Mapping[str, Any] | None = None


DEFAULT_MAX_NUM_BATCHED_TOKENS = 8192
"""On GPUs of 70 GiB and more (vllm 0.20.1 vllm/engine/arg_utils.py, get_batch_defaults)."""

Fraction = Annotated[float, Field(gt=0, le=1)]
KvCacheDtype = Literal["auto", "bfloat16", "fp8", "fp8_e4m3", "fp8_e5m2", "nvfp4"]
_KV_DTYPES: Mapping[KvCacheDtype, KvDtype] = {
    "auto": "auto",
    "bfloat16": "auto",
    "fp8": "fp8",
    "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8",
    "nvfp4": "nvfp4",
}

_FROM_ROLE = "it follows from the service's role"
_FROM_MODEL = "it follows from the recipe's model"


class VllmSettings(OptionBlock, frozen=True):
    """Options of vLLM for one role, all of them optional; None is the engine's default.

    What a stack's settings may override in a recipe that names vllm, key by key.
    """

    removed: ClassVar[Mapping[str, str]] = {
        "model": _FROM_MODEL,
        "served_model_name": _FROM_MODEL,
        "disaggregation_mode": _FROM_ROLE,
        "is_prefill_worker": _FROM_ROLE,
        "is_decode_worker": _FROM_ROLE,
        "connector": "write kv_transfer_config with a kv_connector",
        # vLLM 0.26 refuses it beside the option that the algorithm becomes.
        "quantization": "the checkpoint says it; for activations write quantization.algorithm",
        "quantization_config": "write quantization.algorithm of the recipe",
    }

    tensor_parallel_size: PositiveInt | None = None
    """GPUs that share every layer."""
    pipeline_parallel_size: PositiveInt | None = None
    data_parallel_size: PositiveInt | None = None
    """Engines of one worker that share the experts; each has requests of its own."""
    enable_expert_parallel: bool | None = None
    """Spread whole experts over the GPUs instead of splitting each."""

    max_num_seqs: PositiveInt | None = None
    """Requests that one engine runs at once."""
    max_num_batched_tokens: PositiveInt | None = None
    """Tokens in one step. Default: 8192 on GPUs of 70 GiB and more."""
    max_model_len: PositiveInt | None = None
    """Prompt and answer together. Default: what the model was made for."""
    enable_chunked_prefill: bool | None = None
    """Default: true. Without it max_num_batched_tokens has to hold max_model_len."""
    enable_prefix_caching: bool | None = None
    """Keep blocks of common prefixes. Default: true."""
    async_scheduling: bool | None = None
    """Plan the next step while the GPUs run this one."""
    stream_interval: PositiveInt | None = None
    """Tokens between two messages of a streamed answer. Default: 1."""

    gpu_memory_utilization: Fraction | None = None
    """Share of the GPU's whole memory, not of what is free. Default: 0.92."""
    kv_cache_dtype: KvCacheDtype | None = None
    """Default: auto, the type of the checkpoint's attention layers."""
    block_size: PositiveInt | None = None
    """Tokens of a KV-cache block. Default: the attention kernels' choice."""
    disable_hybrid_kv_cache_manager: bool | None = None
    """Keep all tokens in sliding layers too. Default: true where KV cache is transferred, false otherwise."""

    moe_backend: str | None = None
    """Kernels of the experts. Default: auto, which suits every GPU."""
    attention_backend: str | None = None
    enable_flashinfer_autotune: bool | None = None
    trust_remote_code: bool | None = None

    compilation_config: CompilationConfig | None = None
    speculative_config: SpeculativeConfig | None = None
    kv_events_config: KvEventsConfig | None = None
    kv_transfer_config: KvTransferConfig | None = None
    """None: this worker transfers no KV cache."""


class VllmOptions(VllmSettings, WorkerOptions, frozen=True):
    """The options of a recipe's worker, complete enough to size it.

    Raises:
        pydantic.ValidationError: an unknown or removed key, a wrong type, or sizes that the engine itself
            refuses.

    """

    # Required: the ellipsis is pydantic's way to say so where the base class has a default.
    tensor_parallel_size: PositiveInt = Field(default=...)
    # Required: its default depends on the GPU's memory.
    max_num_seqs: PositiveInt = Field(default=...)
    pipeline_parallel_size: PositiveInt = 1
    data_parallel_size: PositiveInt = 1

    @property
    def gpus(self) -> int:
        """GPUs of one worker: expert parallelism adds none."""
        return self.tensor_parallel_size * self.pipeline_parallel_size * self.data_parallel_size

    @property
    def kv_dtype(self) -> KvDtype:
        """Number format of the KV cache; auto is the checkpoint's."""
        return _KV_DTYPES[self.kv_cache_dtype or "auto"]

    @property
    def hands_over(self) -> bool:
        """Whether its KV cache goes to other workers, or comes from them."""
        return self.kv_transfer_config is not None and self.kv_transfer_config.kv_connector == NIXL

    @property
    def concurrent_requests(self) -> int:
        """Requests that run at once; more wait."""
        return self.max_num_seqs * self.data_parallel_size

    @property
    def draft_model(self) -> str | None:
        """Repository of the draft model; None without speculation."""
        return self.speculative_config.model if self.speculative_config else None

    @property
    def host_cache_bytes(self) -> int:
        """Bytes of host memory that hold KV cache of one worker, 0 where nothing is known."""
        offload = self.kv_transfer_config
        if offload is None or offload.kv_connector != CPU_OFFLOAD:
            return 0
        told = offload.kv_connector_extra_config or {}
        of_a_rank = told.get("cpu_bytes_to_use_per_rank")
        if of_a_rank is not None:
            return int(of_a_rank) * self.gpus
        return int(told.get("cpu_bytes_to_use", _CPU_OFFLOAD_BYTES)) * self.data_parallel_size

    def effective_max_seq_len(self, model_positions: int) -> int:
        """Tokens of prompt and answer together, for a model with that many positions."""
        return self.max_model_len or model_positions

    def longest_prompt(self, model_positions: int) -> int:
        """Tokens of the longest prompt that the engine answers.

        It refuses one that leaves no room for a token of an answer (vllm 0.20.1
        vllm/v1/engine/input_processor.py), and splits any other into steps.
        """
        return self.effective_max_seq_len(model_positions) - 1

    @model_validator(mode="after")
    def _steps_hold_the_batch(self) -> "VllmOptions":
        # vllm 0.20.1, 0.26.0 and 0.31.0 vllm/config/scheduler.py, verify_max_model_len.
        step = self.max_num_batched_tokens or DEFAULT_MAX_NUM_BATCHED_TOKENS
        if step < self.max_num_seqs:
            raise ValueError(
                f"max_num_batched_tokens {step} must be at least max_num_seqs {self.max_num_seqs}: vLLM "
                "ends at start"
            )
        return self
