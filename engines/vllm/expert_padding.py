"""How far vLLM pads the experts' matrices.

vllm 0.20.1 vllm/model_executor/layers/quantization/mxfp4.py
"""

from engines.memory import ExpertPadding

_TRTLLM = ExpertPadding(first_hidden=256, second_hidden=256, intermediate=256)
# The other kernels differ a little; a log of one of them lies within 2 % of this (vllm-project/vllm#33155:
# 64.38 GiB on one H100).
_OTHERS = ExpertPadding(first_hidden=128, second_hidden=128, intermediate=128)


def vllm_padding(moe_backend: str) -> ExpertPadding:
    """Return what the kernels of a MoE backend pad to."""
    return _TRTLLM if moe_backend == "flashinfer_trtllm" else _OTHERS
