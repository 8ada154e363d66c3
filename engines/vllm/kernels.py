"""Which MoE backend of vLLM runs the MXFP4 experts of gpt-oss on which GPU.

vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engines.memory import ExpertPadding
from hardware import Accelerator


@dataclass(frozen=True, slots=True)
class VllmMoeKernels:
    """Kernels that a flag or a variable asks for, and where they are."""

    activations: str
    where: str
    since: tuple[int, int]
    """The least compute capability that they run on."""
    before: tuple[int, int] = (99, 0)
    """The least one that they run on no more: 11.0 stands after B300 and GB300, and before the RTX cards."""

    def run_on(self, gpu: Accelerator) -> bool:
        """Whether they take the GPU; where they do not, the worker ends with a ValueError at start."""
        return self.since <= gpu.compute_capability < self.before


VLLM_BACKEND_KERNELS: Mapping[str, VllmMoeKernels] = {
    "flashinfer_trtllm": VllmMoeKernels("BF16", "B200, GB200, B300 and GB300", (10, 0), (11, 0)),
    "flashinfer_cutlass": VllmMoeKernels("BF16", "H100 and H200", (9, 0), (10, 0)),
    "triton": VllmMoeKernels("BF16", "Hopper and B200, GB200, B300, GB300", (9, 0), (11, 0)),
    "marlin": VllmMoeKernels("BF16", "Ampere and later", (8, 0)),
}
"""--moe-backend -> its kernels for MXFP4; of the others nothing says what they do with gpt-oss."""

VLLM_MOE_VARIABLES: Mapping[str, VllmMoeKernels] = {
    "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8": VllmMoeKernels(
        "MXFP8", "B200, GB200, B300 and GB300", (10, 0), (11, 0)
    ),
    "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8_CUTLASS": VllmMoeKernels("MXFP8", "Blackwell", (10, 0)),
    "VLLM_USE_FLASHINFER_MOE_MXFP4_BF16": VllmMoeKernels(
        "BF16", "H100, H200, B200, GB200, B300 and GB300", (9, 0), (11, 0)
    ),
    "VLLM_MXFP4_USE_MARLIN": VllmMoeKernels("BF16", "Ampere and later", (8, 0)),
}
"""Variable -> the kernels that it asks for; read only where --moe-backend is auto."""


def default_vllm_kernels(accelerator: Accelerator) -> str:
    """What vLLM takes where neither flag nor variable says."""
    first = ("flashinfer_trtllm", "triton")
    return next((name for name in first if VLLM_BACKEND_KERNELS[name].run_on(accelerator)), "marlin")


VLLM_KV_DTYPES = frozenset(
    {
        "auto",
        "float16",
        "bfloat16",
        "fp8",
        "fp8_e4m3",
        "fp8_e5m2",
        "fp8_inc",
        "fp8_ds_mla",
        "nvfp4",
        "int8_per_token_head",
        "fp8_per_token_head",
    }
)
"""Values of vLLM's --kv-cache-dtype beside the next family (vllm 0.20.1 vllm/config/cache.py, CacheDType)."""
VLLM_KV_DTYPE_FAMILY = "turboquant_"
VLLM_KV_DTYPE_LINES = frozenset((0, minor) for minor in (10, 11, 14, 19, 23, 31, 33))
"""Releases none of which takes int8, int4 or fp16 as such (vllm 0.10.2, 0.11.0, 0.14.0, 0.19.1,
0.23.0, 0.31.0 and 0.33.0 from PyPI, vllm/config/cache.py, CacheDType); later ones have further ones such as
int4_per_token_head."""


def vllm_padding(moe_backend: str) -> ExpertPadding:
    """Return what the kernels of a MoE backend pad the experts' matrices to.

    The matrices' alignment: vllm 0.20.1 vllm/model_executor/layers/quantization/mxfp4.py. The other kernels
    differ a little; a log of one of them lies within 2 % of this (vllm-project/vllm#33155: 64.38 GiB on one
    H100).
    """
    is_wide = moe_backend == "flashinfer_trtllm"
    return (
        ExpertPadding(first_hidden=256, second_hidden=256, intermediate=256) if is_wide else ExpertPadding()
    )
