"""TensorRT-LLM behind `python3 -m dynamo.trtllm`: typed options -> command line, environment, engine file.

Field names are the engine's own (`tensorrt_llm.llmapi.llm_args.TorchLlmArgs`), because the engine file is
where they end up and where its documentation names them. The engine forbids unknown keys, so a key that
is misspelt here would stop the worker at start; keys that this project does not model go into `extra`.
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

BACKEND_FRAMEWORK = "trtllm"
"""What the graph's spec.backendFramework calls this engine."""

DEFAULT_TOKENS_PER_BLOCK = 32
"""KvCacheConfig.tokens_per_block where the engine file does not set it."""

PositiveInt = Annotated[int, Field(gt=0)]
Fraction = Annotated[float, Field(gt=0, lt=1)]
WorkerRole = Literal["prefill", "decode"]
TransceiverBackend = Literal["DEFAULT", "UCX", "NIXL", "MOONCAKE", "MPI"]
MoeBackend = Literal["AUTO", "CUTLASS", "CUTEDSL", "WIDEEP", "TRTLLM", "DEEPGEMM", "VANILLA", "TRITON"]


class _EngineBlock(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, strict=True)


class AttentionDpConfig(_EngineBlock):
    """Options of attention data parallelism; without effect while enable_attention_dp is false."""

    enable_balance: bool | None = None


class CacheTransceiverConfig(_EngineBlock):
    """How KV-cache blocks leave a prefill worker and enter a decode worker."""

    backend: TransceiverBackend
    max_tokens_in_buffer: PositiveInt
    """Tokens that a transfer buffer holds; without it the buffer is sized from max_seq_len."""


class CudaGraphConfig(_EngineBlock):
    """For which batch sizes decoding steps are captured as CUDA graphs."""

    enable_padding: bool | None = None
    max_batch_size: PositiveInt | None = None


class KvCacheConfig(_EngineBlock):
    """The paged KV cache of one GPU."""

    dtype: Literal["auto", "fp8", "nvfp4", "bfloat16", "float16"] | None = None
    enable_block_reuse: bool | None = None
    free_gpu_memory_fraction: Fraction | None = None
    """Share of what is free after weights and activations, not of the whole memory."""
    tokens_per_block: PositiveInt | None = None


class MoeConfig(_EngineBlock):
    """Which kernels run the experts."""

    backend: MoeBackend | None = None


class TensorRtLlmOptions(_EngineBlock):
    """The engine file of one role.

    Raises:
        pydantic.ValidationError: an unknown key, a wrong type, or sizes that the engine itself refuses.

    """

    allreduce_strategy: str | None = None
    attention_dp_config: AttentionDpConfig | None = None
    cache_transceiver_config: CacheTransceiverConfig | None = None
    cuda_graph_config: CudaGraphConfig | None = None
    disable_overlap_scheduler: bool | None = None
    enable_attention_dp: bool | None = None
    kv_cache_config: KvCacheConfig | None = None
    max_batch_size: PositiveInt
    max_num_tokens: PositiveInt
    max_seq_len: PositiveInt
    moe_config: MoeConfig | None = None
    moe_expert_parallel_size: PositiveInt = 1
    num_postprocess_workers: int | None = None
    pipeline_parallel_size: PositiveInt = 1
    print_iter_log: bool | None = None
    stream_interval: PositiveInt | None = None
    tensor_parallel_size: PositiveInt
    trust_remote_code: bool | None = None
    extra: Mapping[str, Any] = Field(default_factory=dict)
    """Engine keys that this project does not model, passed through as they are."""

    @property
    def gpus(self) -> int:
        """GPUs of one worker: attention data parallelism and expert parallelism add none."""
        return self.tensor_parallel_size * self.pipeline_parallel_size

    @property
    def tokens_per_block(self) -> int:
        """Tokens of one KV-cache block."""
        configured = self.kv_cache_config.tokens_per_block if self.kv_cache_config else None
        return configured or DEFAULT_TOKENS_PER_BLOCK

    @model_validator(mode="after")
    def _refuse_what_the_engine_refuses(self) -> "TensorRtLlmOptions":
        if self.tensor_parallel_size % self.moe_expert_parallel_size:
            raise ValueError(
                f"moe_expert_parallel_size {self.moe_expert_parallel_size} must divide "
                f"tensor_parallel_size {self.tensor_parallel_size}"
            )
        transceiver = self.cache_transceiver_config
        if transceiver and transceiver.max_tokens_in_buffer % self.tokens_per_block:
            # All workers crash at start otherwise: ai-dynamo/aiconfigurator#459.
            raise ValueError(
                f"max_tokens_in_buffer {transceiver.max_tokens_in_buffer} must be a multiple of "
                f"tokens_per_block {self.tokens_per_block}"
            )
        modelled = set(type(self).model_fields) & set(self.extra)
        if modelled:
            raise ValueError(f"extra repeats modelled options: {', '.join(sorted(modelled))}")
        return self


def engine_file(options: TensorRtLlmOptions) -> str:
    """Return the engine file as YAML with sorted keys, the same text for the same options.

    The ConfigMap's name is derived from this text, so an order that depended on the interpreter would
    restart every worker.
    """
    content = options.model_dump(exclude_none=True, exclude={"extra"}) | dict(options.extra)
    return yaml.safe_dump(content, sort_keys=True, default_flow_style=False)


def command_line(*, served_name: str, role: WorkerRole, arguments: Sequence[str]) -> str:
    """Return the shell command of a worker; MODEL_PATH and ENGINE_ARGS come from its environment.

    The engine file wins over flags, so nothing that is in the file is repeated as a flag.
    """
    parts = [
        "python3 -m dynamo.trtllm",
        '--model-path "${MODEL_PATH}"',
        f'--served-model-name "{served_name}"',
        '--extra-engine-args "${ENGINE_ARGS}"',
        f"--disaggregation-mode {role}",
    ]
    return " ".join([*parts, shlex.join(arguments)] if arguments else parts)


def environment(
    *, served_name: str, engine_file_path: str, model_path: str, quantization_algorithm: str
) -> dict[str, str]:
    """Return the variables that the command line and the engine read."""
    return {
        # Blackwell's own default for an MXFP4 checkpoint; named so that a new default changes nothing.
        "OVERRIDE_QUANT_ALGO": quantization_algorithm,
        "SERVED_MODEL_NAME": served_name,
        "ENGINE_ARGS": engine_file_path,
        "MODEL_PATH": model_path,
    }
