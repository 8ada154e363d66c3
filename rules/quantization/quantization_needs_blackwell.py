"""MXFP4 experts with 8-bit activations, and TRTLLM's expert kernels, run on Blackwell."""

from collections.abc import Iterator, Mapping

from hardware import Accelerator
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.placements import Landing, read_landing
from rules.reading.shapes import Undecided
from rules.reading.tensorrt_llm import Setting, is_tensorrt_llm, read_tensorrt_llm
from rules.reading.words import Word
from rules.reading.workers import Worker, check_workers

_VARIABLE = "OVERRIDE_QUANT_ALGO"
_MXFP8 = "W4A8_MXFP4_MXFP8"
_FP8 = "W4A8_MXFP4_FP8"
_TRTLLM = "TRTLLM"
# AUTO is TRITON on Hopper.
_HOPPER_FP8_BACKENDS = frozenset({"AUTO", "TRITON"})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    command = next(iter(worker.commands), None) if is_tensorrt_llm(worker) else None
    if command is None:
        # The variable and the setting are TensorRT-LLM's.
        return
    landing = _landing(graph, worker)
    if isinstance(landing, Landing) and all(_is_blackwell(gpu) for gpu in landing.accelerators):
        return
    algorithm = _algorithm(command.environment)
    backend = read_tensorrt_llm(graph, worker).moe_backend()
    if algorithm not in {_MXFP8, _FP8} and backend.value != _TRTLLM:
        return
    if isinstance(landing, Undecided):
        raise landing
    for accelerator in landing.accelerators:
        needs = _what_needs_blackwell(algorithm, backend, accelerator)
        if needs:
            yield failed(
                worker.resource,
                worker.name,
                f"only Blackwell runs {' and '.join(needs)}, but it can land on "
                f"{accelerator.name} ({accelerator.architecture_family}, {landing.source})",
            )


def _landing(graph: ResourceGraph, worker: Worker) -> Landing | Undecided:
    try:
        return read_landing(graph, worker)
    except Undecided as reason:
        return reason


def _is_blackwell(accelerator: Accelerator) -> bool:
    return accelerator.architecture_family == "blackwell"


def _algorithm(environment: Mapping[str, Word]) -> str:
    word = environment.get(_VARIABLE, Word(""))
    if not word.known:
        raise Undecided(f"the value of {_VARIABLE} is unknown")
    return word.text.strip().upper()


def _what_needs_blackwell(algorithm: str, backend: Setting, accelerator: Accelerator) -> list[str]:
    if _is_blackwell(accelerator):
        return []
    needs: list[str] = []
    runs_fp8 = accelerator.architecture_family == "hopper" and backend.value in _HOPPER_FP8_BACKENDS
    if algorithm == _MXFP8 or (algorithm == _FP8 and not runs_fp8):
        needs.append(f"{_VARIABLE}={algorithm}")
    if backend.value == _TRTLLM:
        needs.append(f"moe_config.backend {_TRTLLM} ({backend.source})")
    return needs


RULE = Rule(
    id="quantization-needs-blackwell",
    title="8-bit activations with MXFP4 experts, and TRTLLM expert kernels, only on Blackwell",
    severity=Severity.MANDATORY,
    reason=(
        "The engine does not check the GPU. On Hopper, W4A8_MXFP4_MXFP8 has no expert kernel, "
        "W4A8_MXFP4_FP8 has one with TRITON only, and the TRTLLM backend ends with an IndexError in its "
        "autotuner."
    ),
    source="NVIDIA/TensorRT-LLM modeling_gpt_oss.py, create_moe.py; NVIDIA/TensorRT-LLM#17570",
    fix=(
        "Place the worker on B200 or GB200 (a pool, or a node selection on nvidia.com/gpu.product); on "
        "Hopper leave OVERRIDE_QUANT_ALGO out and use moe_config.backend CUTLASS or TRITON."
    ),
    check=_check,
)
