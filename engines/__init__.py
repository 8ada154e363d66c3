"""What is known of engines and models: options, keys, kernels, formats, memory; each with its source."""

from engines.command_options import (
    Vocabulary,
    command_options,
    kv_connectors,
    number_options,
    option_values,
    size_options,
)
from engines.command_words import CommandWords
from engines.memory import (
    GIB,
    SLIDING_WINDOW,
    ExpertPadding,
    MemoryDemand,
    Sharding,
    checkpoint_bytes,
    kv_bytes,
    memory_demand,
    weight_bytes,
)
from engines.models import GPT_OSS_MODELS, ModelLimits, ModelShape, model_limits
from engines.quantization import (
    KV_VALUE_BYTES,
    MXFP4_ALGORITHMS,
    MxFp4Algorithm,
    MxFp4AlgorithmName,
    algorithms_with_kernels,
    default_algorithm,
    fp8_kv_cache_is_tested,
)
from engines.registry import COMMANDS, ENGINE_IMAGES
from engines.tensorrt_llm.command_words import TRTLLM_SERVE_FLAGS, TRTLLM_SERVE_FLAGS_LINE
from engines.tensorrt_llm.expert_padding import tensorrt_llm_padding
from engines.tensorrt_llm.kernels import (
    MOE_BACKENDS,
    MoeBackend,
    MoeOutcome,
    MoeSupport,
    default_moe_backend,
    is_moe_backend,
    moe_support,
)
from engines.tensorrt_llm.keys import (
    ATTENTION_BACKENDS,
    DEFAULT_CUDA_GRAPH_BATCH_SIZE,
    DEFAULT_MAX_BATCH_SIZE,
    DEFAULT_MAX_NUM_TOKENS,
    DEFAULT_TOKENS_PER_BLOCK,
    DEPRECATED_ENGINE_KEYS,
    ENGINE_BLOCK_KEYS,
    ENGINE_CHOICES,
    ENGINE_KEYS,
    REMOVED_ENGINE_KEYS,
)
from engines.tensorrt_llm.kv_formats import TENSORRT_LLM_KV_DTYPES
from engines.tool_calls import CALLS_RECOVERED_SINCE, LOST_TOOL_CALLS, MODEL_OF_LOST_CALLS
from engines.vllm.expert_padding import vllm_padding
from engines.vllm.kernels import (
    VLLM_BACKEND_KERNELS,
    VLLM_MOE_BACKENDS,
    VLLM_MOE_VARIABLES,
    VllmMoeKernels,
    default_vllm_kernels,
)
from engines.vllm.kv_formats import VLLM_KV_DTYPE_FAMILY, VLLM_KV_DTYPES

__all__ = [
    "ATTENTION_BACKENDS",
    "CALLS_RECOVERED_SINCE",
    "COMMANDS",
    "DEFAULT_CUDA_GRAPH_BATCH_SIZE",
    "DEFAULT_MAX_BATCH_SIZE",
    "DEFAULT_MAX_NUM_TOKENS",
    "DEFAULT_TOKENS_PER_BLOCK",
    "DEPRECATED_ENGINE_KEYS",
    "ENGINE_BLOCK_KEYS",
    "ENGINE_CHOICES",
    "ENGINE_IMAGES",
    "ENGINE_KEYS",
    "GIB",
    "GPT_OSS_MODELS",
    "KV_VALUE_BYTES",
    "LOST_TOOL_CALLS",
    "MODEL_OF_LOST_CALLS",
    "MOE_BACKENDS",
    "MXFP4_ALGORITHMS",
    "REMOVED_ENGINE_KEYS",
    "SLIDING_WINDOW",
    "TENSORRT_LLM_KV_DTYPES",
    "TRTLLM_SERVE_FLAGS",
    "TRTLLM_SERVE_FLAGS_LINE",
    "VLLM_BACKEND_KERNELS",
    "VLLM_KV_DTYPES",
    "VLLM_KV_DTYPE_FAMILY",
    "VLLM_MOE_BACKENDS",
    "VLLM_MOE_VARIABLES",
    "CommandWords",
    "ExpertPadding",
    "MemoryDemand",
    "ModelLimits",
    "ModelShape",
    "MoeBackend",
    "MoeOutcome",
    "MoeSupport",
    "MxFp4Algorithm",
    "MxFp4AlgorithmName",
    "Sharding",
    "VllmMoeKernels",
    "Vocabulary",
    "algorithms_with_kernels",
    "checkpoint_bytes",
    "command_options",
    "default_algorithm",
    "default_moe_backend",
    "default_vllm_kernels",
    "fp8_kv_cache_is_tested",
    "is_moe_backend",
    "kv_bytes",
    "kv_connectors",
    "memory_demand",
    "model_limits",
    "moe_support",
    "number_options",
    "option_values",
    "size_options",
    "tensorrt_llm_padding",
    "vllm_padding",
    "weight_bytes",
]
