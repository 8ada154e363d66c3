"""Number formats of MXFP4 checkpoints (gpt-oss) and which GPUs have tensor-core kernels for them."""

from collections.abc import Mapping
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
