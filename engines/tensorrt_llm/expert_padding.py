"""How far TensorRT-LLM pads the experts' matrices.

tensorrt_llm/_torch/modules/fused_moe/quantization.py (MXFP4 weight alignment)
"""

from engines.memory import ExpertPadding

_TRTLLM = ExpertPadding(first_hidden=512, second_hidden=128, intermediate=128)
_OTHERS = ExpertPadding(first_hidden=128, second_hidden=128, intermediate=128)


def tensorrt_llm_padding(moe_backend: str) -> ExpertPadding:
    """Return what the kernels of a MoE backend pad to."""
    return _TRTLLM if moe_backend == "TRTLLM" else _OTHERS
