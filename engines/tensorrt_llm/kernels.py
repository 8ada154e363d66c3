"""Which MoE backend of TensorRT-LLM runs gpt-oss with which algorithm on which GPU (1.3.0rc14).

NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe: create_moe.py at 01f8de5, fused_moe_cutlass.py
(can_implement), fused_moe_triton.py at 00131d7, fused_moe_trtllm_gen.py at 026946f; on Hopper
NVIDIA/TensorRT-LLM#17570.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeGuard, get_args

from engines.memory import ExpertPadding
from engines.models import MxFp4AlgorithmName
from hardware import Accelerator

MoeBackend = Literal["CUTLASS", "CUTEDSL", "WIDEEP", "TRTLLM", "DEEPGEMM", "DENSEGEMM", "VANILLA", "TRITON"]
MOE_BACKENDS: tuple[MoeBackend, ...] = get_args(MoeBackend)


class MoeOutcome(Enum):
    """What happens to a worker that starts with a backend."""

    RUNS = "runs"
    RUNS_AS_CUTLASS = "warns and runs as CUTLASS"
    NOT_DECLARED = "starts, with kernels that NVIDIA does not declare for it"
    FAILS = "stops with an error while it loads or warms up"


@dataclass(frozen=True, slots=True)
class MoeSupport:
    """One cell of the table."""

    outcome: MoeOutcome
    reason: str
    """One sentence; why it fails, or what is special about its running."""

    @property
    def stops(self) -> bool:
        """Whether the worker is known to end before it serves."""
        return self.outcome is MoeOutcome.FAILS


def is_moe_backend(text: str) -> TypeGuard[MoeBackend]:
    """Whether the table has the backend; AUTO and those of later releases are not there."""
    return text in MOE_BACKENDS


def default_moe_backend(accelerator: Accelerator) -> MoeBackend:
    """What `moe_config.backend: AUTO` (the default) means for gpt-oss there."""
    if (10, 0) <= accelerator.compute_capability < (12, 0):
        return "TRTLLM"
    return "TRITON" if accelerator.compute_capability == (9, 0) else "CUTLASS"


def moe_support(
    backend: MoeBackend,
    algorithm: MxFp4AlgorithmName,
    accelerator: Accelerator,
    *,
    expert_parallel_size: int = 1,
) -> MoeSupport:
    """Whether the backend runs gpt-oss with the algorithm on the GPU, and why not."""
    match backend:
        case "CUTLASS":
            return _cutlass(algorithm, accelerator)
        case "TRTLLM":
            return _trtllm(accelerator)
        case "TRITON":
            return _triton(algorithm, accelerator, expert_parallel_size)
        case "CUTEDSL" | "DENSEGEMM":
            cutlass = _cutlass(algorithm, accelerator)
            reason = f"{backend} does not take gpt-oss and falls back to CUTLASS with a warning"
            if cutlass.outcome is MoeOutcome.RUNS:
                return MoeSupport(MoeOutcome.RUNS_AS_CUTLASS, reason)
            return MoeSupport(cutlass.outcome, f"{reason}; {cutlass.reason}")
        case "WIDEEP" | "DEEPGEMM" | "VANILLA":
            reason = f"{backend} adds no bias to its experts, and those of gpt-oss have one"
            return MoeSupport(MoeOutcome.FAILS, reason)


def _cutlass(algorithm: MxFp4AlgorithmName, accelerator: Accelerator) -> MoeSupport:
    family = accelerator.architecture_family
    match algorithm, family:
        case ("W4A8_MXFP4_MXFP8", "blackwell") | ("W4A16_MXFP4", "hopper"):
            return MoeSupport(MoeOutcome.RUNS, f"CUTLASS runs {algorithm} on {family}")
        case "W4A8_MXFP4_MXFP8", _:
            return MoeSupport(MoeOutcome.FAILS, "CUTLASS has W4A8_MXFP4_MXFP8 for Blackwell only")
        case "W4A16_MXFP4", "blackwell":
            return MoeSupport(
                MoeOutcome.FAILS, "CUTLASS has W4A16_MXFP4 for Hopper only: NotImplementedError"
            )
        case _:
            return MoeSupport(
                MoeOutcome.NOT_DECLARED,
                f"CUTLASS does not declare {algorithm} for gpt-oss on {accelerator.name}",
            )


def _trtllm(accelerator: Accelerator) -> MoeSupport:
    family = accelerator.architecture_family
    if family == "blackwell":
        return MoeSupport(MoeOutcome.RUNS, "TRTLLM runs every MXFP4 algorithm on Blackwell")
    end = ": on Hopper its autotuner ends with an IndexError" if family == "hopper" else ""
    return MoeSupport(MoeOutcome.FAILS, f"TRTLLM is for Blackwell{end}")


def _triton(algorithm: MxFp4AlgorithmName, accelerator: Accelerator, expert_parallel_size: int) -> MoeSupport:
    match algorithm, accelerator.architecture_family:
        case "W4A8_MXFP4_MXFP8", _:
            return MoeSupport(MoeOutcome.FAILS, "TRITON has no quantization method for W4A8_MXFP4_MXFP8")
        case _, "hopper":
            return MoeSupport(MoeOutcome.RUNS, f"TRITON runs {algorithm} on Hopper")
        case _, "blackwell" if expert_parallel_size > 1:
            return MoeSupport(MoeOutcome.FAILS, "TRITON raises with expert parallelism above 1 on Blackwell")
        case _:
            return MoeSupport(MoeOutcome.NOT_DECLARED, "NVIDIA tests TRITON with gpt-oss on Hopper only")


TENSORRT_LLM_KV_DTYPES = frozenset({"auto", "fp8", "nvfp4"})
"""Formats of the KV cache that TensorRT-LLM's PyTorch backend takes; any other ends in a ValueError
(tensorrt_llm/_torch/pyexecutor/model_loader.py, validate_and_set_kv_cache_quant; the same words in the
reference of 1.3.0rc28 at c16b320)."""


def tensorrt_llm_padding(moe_backend: str) -> ExpertPadding:
    """Return what the kernels of a MoE backend pad the experts' matrices to."""
    # The matrices' alignment: tensorrt_llm/_torch/modules/fused_moe/quantization.py.
    return ExpertPadding(first_hidden=512) if moe_backend == "TRTLLM" else ExpertPadding()
