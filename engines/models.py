"""Models: their config.json, the shape of gpt-oss, and the number formats of its experts and KV cache.

Each config.json was read in ai-dynamo/aiconfigurator src/aiconfigurator/model_configs at 095f58a, or on
Hugging Face.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from hardware import Accelerator, ArchitectureFamily

MxFp4AlgorithmName = Literal["W4A16_MXFP4", "W4A8_MXFP4_FP8", "W4A8_MXFP4_MXFP8"]
"""Values of OVERRIDE_QUANT_ALGO for an MXFP4 checkpoint: activations in bfloat16, in FP8 with one scale per
tensor, in FP8 with one scale per 32 values. Any other value is ignored with a warning."""


MXFP4_ALGORITHMS: Mapping[MxFp4AlgorithmName, frozenset[ArchitectureFamily]] = {
    "W4A16_MXFP4": frozenset[ArchitectureFamily]({"hopper", "blackwell"}),
    "W4A8_MXFP4_FP8": frozenset[ArchitectureFamily]({"hopper", "blackwell"}),
    "W4A8_MXFP4_MXFP8": frozenset[ArchitectureFamily]({"blackwell"}),
}
"""Algorithm of expert weights in MXFP4 (E2M1, one E8M0 scale per 32 values), as TensorRT-LLM reads it from
OVERRIDE_QUANT_ALGO in any case of letters -> the GPU families on which at least one of its MoE backends runs
it for gpt-oss (engines/tensorrt_llm/kernels.py)."""

KV_VALUE_BYTES: Mapping[str, float] = {
    "auto": 2,
    "bfloat16": 2,
    "float16": 2,
    "fp8": 1,
    "fp8_e4m3": 1,
    "fp8_e5m2": 1,
    "nvfp4": 4 / 8 + 1 / 16,
}
"""Format of the KV cache -> bytes of one value. auto: attention of gpt-oss is in bfloat16. nvfp4: 4 bits, and
an 8-bit scale for every 16 values."""


def algorithms_with_kernels(accelerator: Accelerator) -> tuple[MxFp4AlgorithmName, ...]:
    """The algorithms that some MoE backend runs on the GPU; empty on Ampere."""
    return tuple(
        name for name, families in MXFP4_ALGORITHMS.items() if accelerator.architecture_family in families
    )


def default_algorithm(accelerator: Accelerator, moe_backend: str) -> MxFp4AlgorithmName:
    """What TensorRT-LLM takes for an MXFP4 checkpoint where OVERRIDE_QUANT_ALGO is not set.

    It asks the compute capability and the backend, never whether the two have a kernel together
    (tensorrt_llm/_torch/models/modeling_gpt_oss.py at 050b6cb).
    """
    if accelerator.compute_capability < (10, 0):
        return "W4A16_MXFP4"
    return "W4A8_MXFP4_FP8" if moe_backend == "TRITON" else "W4A8_MXFP4_MXFP8"


def fp8_kv_cache_is_tested(accelerator: Accelerator) -> bool:
    """Whether NVIDIA tests gpt-oss with an 8-bit KV cache there; untested is not shown to fail.

    NVIDIA/TensorRT-LLM tests/integration/defs/accuracy/test_llm_api_pytorch.py at 000b1b9 (TestGPTOSS).
    """
    return accelerator.architecture_family == "blackwell"


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """What a model's config.json says."""

    name: str
    attention_heads: int
    experts: int
    """Experts of one layer, shared ones aside; 0 for a dense model."""
    max_positions: int
    """Tokens of prompt and answer together."""


@dataclass(frozen=True, slots=True)
class ModelShape(ModelLimits):
    """What the config.json of a gpt-oss says of its size; the defaults are what both have alike."""

    layers: int
    hidden_size: int = 2880
    intermediate_size: int = 2880
    kv_heads: int = 8
    head_dim: int = 64
    vocabulary: int = 201_088


GPT_OSS_MODELS: Mapping[str, ModelShape] = {
    "gpt-oss-120b": ModelShape("gpt-oss-120b", 64, 128, 131_072, layers=36),
    "gpt-oss-20b": ModelShape("gpt-oss-20b", 64, 32, 131_072, layers=24),
}
"""Name, as it ends a repository's name -> shape."""


# What may follow a model's name without changing its shape; Distill, VL, a date or anything else may.
_SAME_SHAPE = (
    r"(?:-(?:instruct|it|hf|base|dynamic|static|pertensor|quantized|fp8|fp4|nvfp4(?:-v2)?|mxfp4|bf16|awq|gptq|int[48]|"
    r"w4a16|w8a8))*"
)
_HUB_FOLDER = re.compile(r"(?:^|/)models--([\w.-]{1,96}?)--([\w.-]{1,96}?)(?:/snapshots/([^/]+)|/|$)")


def hub_folder(repository: str) -> str:
    """Return the folder of the hub's cache that holds a repository."""
    return f"models--{repository.replace('/', '--')}"


def in_hub_folder(path: str) -> tuple[str, str, str | None] | None:
    """Owner, name and revision of the repository in whose folder of the hub's cache a path lies.

    The revision is None for the folder itself.
    """
    found = _HUB_FOLDER.search(path)
    return None if found is None else (found[1], found[2], found[3])


# Name: attention heads, experts, positions. Each row is the config.json of that repository on
# Hugging Face: num_attention_heads, n_routed_experts or num_experts or
# num_local_experts, max_position_embeddings.
_ROWS: Mapping[str, tuple[int, int, int]] = {
    "meta-llama/Llama-3.1-8B": (32, 0, 131_072),
    "meta-llama/Llama-3.1-70B": (64, 0, 131_072),
    "meta-llama/Llama-3.1-405B": (128, 0, 131_072),
    "meta-llama/Llama-3.2-1B": (32, 0, 131_072),
    "meta-llama/Llama-3.2-3B": (24, 0, 131_072),
    "meta-llama/Llama-3.3-70B": (64, 0, 131_072),
    "meta-llama/Llama-4-Maverick-17B-128E": (40, 128, 1_048_576),
    "meta-llama/Llama-4-Scout-17B-16E": (40, 16, 10_485_760),
    "Qwen/Qwen2.5-0.5B": (14, 0, 32_768),
    "Qwen/Qwen2.5-1.5B": (12, 0, 32_768),
    "Qwen/Qwen2.5-3B": (16, 0, 32_768),
    "Qwen/Qwen2.5-7B": (28, 0, 32_768),
    "Qwen/Qwen2.5-14B": (40, 0, 32_768),
    "Qwen/Qwen2.5-32B": (40, 0, 32_768),
    "Qwen/Qwen2.5-72B": (64, 0, 32_768),
    "Qwen/Qwen3-0.6B": (16, 0, 40_960),
    "Qwen/Qwen3-1.7B": (16, 0, 40_960),
    "Qwen/Qwen3-4B": (32, 0, 40_960),
    "Qwen/Qwen3-8B": (32, 0, 40_960),
    "Qwen/Qwen3-14B": (40, 0, 40_960),
    "Qwen/Qwen3-32B": (64, 0, 40_960),
    "Qwen/Qwen3-30B-A3B": (32, 128, 40_960),
    "Qwen/Qwen3-235B-A22B": (64, 128, 40_960),
    "Qwen/Qwen3-Coder-480B-A35B": (96, 160, 262_144),
    "Qwen/Qwen3-VL-2B": (16, 0, 262_144),
    "Qwen/Qwen3-VL-4B": (32, 0, 262_144),
    "Qwen/Qwen3-VL-8B": (32, 0, 262_144),
    "Qwen/Qwen3-VL-32B": (64, 0, 262_144),
    "Qwen/Qwen3-VL-30B-A3B": (32, 128, 262_144),
    "Qwen/Qwen3-VL-235B-A22B": (64, 128, 262_144),
    "Qwen/Qwen3.5-27B": (24, 0, 262_144),
    "Qwen/Qwen3.5-35B-A3B": (16, 256, 262_144),
    "Qwen/Qwen3.5-122B-A10B": (32, 256, 262_144),
    "Qwen/Qwen3.5-397B-A17B": (32, 512, 262_144),
    "Qwen/Qwen3.6-27B": (24, 0, 262_144),
    "Qwen/Qwen3.6-35B-A3B": (16, 256, 262_144),
    "deepseek-ai/DeepSeek-V3": (128, 256, 163_840),
    "deepseek-ai/DeepSeek-V3-0324": (128, 256, 163_840),
    "deepseek-ai/DeepSeek-V3.1": (128, 256, 163_840),
    "deepseek-ai/DeepSeek-V3.2": (128, 256, 163_840),
    "deepseek-ai/DeepSeek-R1": (128, 256, 163_840),
    "deepseek-ai/DeepSeek-R1-0528": (128, 256, 163_840),
    "deepseek-ai/DeepSeek-V4-Flash": (64, 256, 1_048_576),
    "deepseek-ai/DeepSeek-V4-Pro": (128, 384, 1_048_576),
    "mistralai/Mixtral-8x7B-v0.1": (32, 8, 32_768),
    "mistralai/Mixtral-8x7B-Instruct-v0.1": (32, 8, 32_768),
    "mistralai/Mixtral-8x22B-v0.1": (48, 8, 65_536),
    "mistralai/Mixtral-8x22B-Instruct-v0.1": (48, 8, 65_536),
    "moonshotai/Kimi-K2": (64, 384, 131_072),
    "moonshotai/Kimi-K2.5": (64, 384, 262_144),
    "moonshotai/Kimi-K2.6": (64, 384, 262_144),
    "moonshotai/Kimi-K3": (96, 896, 1_048_576),
    "zai-org/GLM-5": (64, 256, 202_752),
    "zai-org/GLM-5.1": (64, 256, 202_752),
    "zai-org/GLM-5.2": (64, 256, 1_048_576),
    "MiniMaxAI/MiniMax-M2.5": (48, 256, 196_608),
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1": (64, 0, 131_072),
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B": (32, 128, 262_144),
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B": (32, 512, 262_144),
    "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B": (64, 512, 262_144),
}
_OTHERS = (ModelLimits(repository.rpartition("/")[2], *row) for repository, row in _ROWS.items())
_BY_NAME: Mapping[re.Pattern[str], ModelLimits] = {
    re.compile(rf"(?:meta-)?{re.escape(model.name)}{_SAME_SHAPE}", re.IGNORECASE): model
    for model in (*GPT_OSS_MODELS.values(), *_OTHERS)
}


@lru_cache(maxsize=1024)
def model_limits(text: str) -> ModelLimits | None:
    """The model that a repository, a folder of the hub's cache or another path names; None for others."""
    for part in text.split("/"):
        folder = in_hub_folder(part)
        for pattern, model in _BY_NAME.items():
            if pattern.fullmatch(folder[1] if folder else part):
                return model
    return None
