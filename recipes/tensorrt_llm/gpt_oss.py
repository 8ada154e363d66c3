"""What TensorRT-LLM 1.3.0rc14 refuses for gpt-oss in particular, at start and after the model was loaded.

Which kernels take which number formats: NVIDIA/TensorRT-LLM `tensorrt_llm/_torch/modules/fused_moe` and
`tensorrt_llm/_torch/models/modeling_gpt_oss.py`.
"""

from collections.abc import Iterator

from hardware import ArchitectureFamily
from recipes.tensorrt_llm.options import QuantizationAlgorithm, TensorRtLlmOptions

# The experts have biases, which these kernels do not add.
_WITHOUT_BIAS = ("WIDEEP", "DEEPGEMM", "VANILLA")


def refusals(
    options: TensorRtLlmOptions,
    *,
    experts: int,
    algorithm: QuantizationAlgorithm | None,
    families: tuple[ArchitectureFamily, ...],
) -> Iterator[str]:
    """Yield a sentence for each thing that the engine refuses.

    Args:
        options: of one worker.
        experts: experts of each layer.
        algorithm: what OVERRIDE_QUANT_ALGO says; None: the default of checkpoint and GPU.
        families: GPU architectures that the worker must run on.

    """
    if options.pipeline_parallel_size != 1:
        yield f"pipeline_parallel_size {options.pipeline_parallel_size}: gpt-oss runs with 1 only"
    parallel = options.moe_expert_parallel_size
    if experts % parallel:
        yield f"moe_expert_parallel_size {parallel} must divide the model's {experts} experts"
    backend = (options.moe_config.backend if options.moe_config else None) or "AUTO"
    if backend in _WITHOUT_BIAS:
        yield f"moe_config.backend {backend} cannot run gpt-oss, whose experts have biases: write TRTLLM"
    if "hopper" in families and (backend == "TRTLLM" or algorithm == "W4A8_MXFP4_MXFP8"):
        yield f"moe_config.backend {backend} with {algorithm or 'the default'} has no kernels on Hopper"
    if "blackwell" in families:
        yield from _on_blackwell(backend, parallel, algorithm)


def _on_blackwell(backend: str, parallel: int, algorithm: QuantizationAlgorithm | None) -> Iterator[str]:
    if backend == "CUTLASS" and algorithm not in {None, "W4A8_MXFP4_MXFP8"}:
        yield f"moe_config.backend CUTLASS does not run {algorithm} on Blackwell: write TRTLLM"
    if backend == "TRITON" and algorithm == "W4A8_MXFP4_MXFP8":
        yield f"moe_config.backend TRITON has no {algorithm}: write TRTLLM"
    if backend == "TRITON" and parallel > 1:
        yield f"moe_config.backend TRITON needs moe_expert_parallel_size 1 on Blackwell, not {parallel}"
