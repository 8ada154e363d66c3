"""Formats and kernels of the experts, and the GPUs that run them."""

from collections.abc import Iterator

from engines import MXFP4_ALGORITHMS, VLLM_BACKEND_KERNELS, VLLM_MOE_BACKENDS, MoeOutcome, VllmMoeKernels
from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.disaggregation import Disaggregated
from rules.reading.engines.command_settings import CommandSettings, is_vllm, read_vllm
from rules.reading.engines.expert_kernels import (
    BACKEND_FLAG,
    OVERRIDE_VARIABLE,
    VLLM_AUTO,
    kernels_on,
    kernels_with_outcomes,
    read_expert_parallel_size,
    read_override,
    read_vllm_backend,
    read_vllm_variables,
)
from rules.reading.engines.models import read_checkpoint
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm, read_tensorrt_llm
from rules.reading.placements import read_landing
from rules.reading.pods.workers import Worker
from rules.reading.releases import VLLM_0_20, as_read
from rules.reading.shapes import Undecided, grouped
from rules.rule import Said, rule
from rules.subjects import DISAGGREGATED, TENSORRT_LLM_WORKERS, WORKERS, TensorRtLlmWorker

_STOPS = frozenset({MoeOutcome.FAILS, MoeOutcome.ASSERTS})
_NOT_AS_ASKED = frozenset({MoeOutcome.RUNS_AS_CUTLASS, MoeOutcome.UNTESTED, MoeOutcome.NOT_DECLARED})


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "The engine takes backend and algorithm without asking the GPU and ends while it loads or warms up: "
        "TRTLLM kernels and W4A8_MXFP4_MXFP8 are for Blackwell, CUTLASS has W4A16_MXFP4 for Hopper, TRITON "
        "cannot split experts on Blackwell, and WIDEEP, DEEPGEMM and VANILLA add no bias."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/create_moe.py at 01f8de5, "
        "fused_moe_triton.py at 00131d7, fused_moe_trtllm_gen.py at 026946f; NVIDIA/TensorRT-LLM#17570"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Place the worker on B200 or GB200 (a pool, or a node selection on nvidia.com/gpu.product). Else "
        "leave OVERRIDE_QUANT_ALGO and moe_config.backend out: the engine's defaults run on every GPU that "
        "has kernels for gpt-oss."
    ),
)
def moe_backend_runs(graph: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """The experts of gpt-oss run with their backend and algorithm on the worker's GPU."""
    for landing, kernels in kernels_with_outcomes(graph, engine.worker, _STOPS):
        gpu = kernels.accelerator
        parallel = read_expert_parallel_size(engine.settings)
        split = f" and expert parallelism {parallel}" if parallel > 1 else ""
        yield (
            f"{kernels}{split} {kernels.support.outcome.value} on {gpu.name} ({gpu.architecture_family}, "
            f"{landing.source}), where it can land: {kernels.support.reason}"
        )


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "CUTEDSL and DENSEGEMM turn into CUTLASS with a line in the log, and a measurement is then of "
        "something else than the file says. Kernels that nobody tests with the model may be wrong or slow."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/_torch/modules/fused_moe/create_moe.py at 01f8de5; "
        "tests/integration/defs/accuracy/test_llm_api_pytorch.py at 000b1b9 (TestGPTOSS)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Write moe_config.backend TRTLLM or CUTLASS on Blackwell, TRITON or CUTLASS on Hopper.",
)
def moe_backend_substituted(graph: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """The experts run with the backend that is written, and NVIDIA tests it on that GPU."""
    for landing, kernels in kernels_with_outcomes(graph, engine.worker, _NOT_AS_ASKED):
        yield (
            f"{kernels} {kernels.support.outcome.value} on {kernels.accelerator.name} ({landing.source}): "
            f"{kernels.support.reason}"
        )


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "vLLM ends with a ValueError at start: flashinfer_cutlass takes MXFP4 on Hopper only, "
        "flashinfer_trtllm and MXFP8 activations on B200, GB200, B300 and GB300 only."
    ),
    source="vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py",
    lines=("vLLM 0.20.1",),
    fix=(
        "Leave --moe-backend and the VLLM_USE_FLASHINFER_MOE_* variables out: the default runs on every GPU. "
        "Dynamo's own recipes set VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8=1 on B200, and --moe-backend "
        "flashinfer_cutlass on H200."
    ),
)
def vllm_moe_backend(graph: ResourceGraph, worker: Worker) -> Iterator[Said]:
    """vLLM's expert kernels for gpt-oss are made for the worker's GPU."""
    return as_read(worker, _unfit_for_vllm(graph, worker), VLLM_0_20)


def _unfit_for_vllm(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    if not is_vllm(worker):
        return
    settings = read_vllm(graph, worker)
    backend = read_vllm_backend(settings)
    if backend.value not in VLLM_MOE_BACKENDS:
        known = ", ".join(sorted(VLLM_MOE_BACKENDS))
        yield f"{BACKEND_FLAG} {backend.value} ({backend.source}) is none of {known}: vLLM refuses it"
        return
    wanted = list(_wanted(settings, str(backend.value), backend.source))
    if not wanted or read_checkpoint(graph, worker).mxfp4 is None:
        return
    landing = read_landing(graph, worker)
    for name, kernels in wanted:
        if kernels is None:
            raise Undecided(f"what {name} does with the MXFP4 experts of gpt-oss is not known here")
        for gpu in landing.accelerators:
            if not kernels.run_on(gpu):
                yield (
                    f"{name} has its kernels on {kernels.where}, and it can land on {gpu.name} "
                    f"({gpu.architecture_family}, {landing.source})"
                )


def _wanted(
    settings: CommandSettings, backend: str, source: str
) -> Iterator[tuple[str, VllmMoeKernels | None]]:
    if backend != VLLM_AUTO:
        yield f"{BACKEND_FLAG} {backend} ({source})", VLLM_BACKEND_KERNELS.get(backend)
        return
    yield from read_vllm_variables(settings.command.environment)


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "With --moe-backend the variables are not read and the experts compute in BF16, whatever the "
        "manifest seems to say."
    ),
    source="vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py",
    lines=("vLLM 0.20.1",),
    fix="Remove --moe-backend, or the variable.",
)
def vllm_moe_env_without_effect(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """A variable that picks vLLM's expert kernels acts, or is not set."""
    if not is_vllm(worker):
        return
    settings = read_vllm(graph, worker)
    backend = read_vllm_backend(settings)
    if backend.value == VLLM_AUTO:
        return
    for name, kernels in read_vllm_variables(settings.command.environment):
        yield (
            f"{name} asks for {kernels.activations} activations, but is read with "
            f"{BACKEND_FLAG} auto alone; {backend.value} ({backend.source}) computes in BF16"
        )


@rule(
    TENSORRT_LLM_WORKERS,
    severity=Severity.ADVISORY,
    reason=(
        "An unknown value is ignored with one line in the log; the worker serves with other activations than "
        "the manifest says."
    ),
    source="NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py (override_quant_algo)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Write one of the three names, in any case of letters and without blanks, or leave the variable out.",
)
def quantization_override_known(_: ResourceGraph, engine: TensorRtLlmWorker) -> Iterator[str]:
    """OVERRIDE_QUANT_ALGO names an algorithm that the engine knows."""
    override = read_override(engine.settings)
    if override is not None and override.algorithm is None:
        yield (
            f"{OVERRIDE_VARIABLE} is {override.text!r}, which is none of {', '.join(MXFP4_ALGORITHMS)}: the "
            "engine warns and takes its default"
        )


@rule(
    WORKERS,
    severity=Severity.ADVISORY,
    reason="Elsewhere nothing reads it, while the manifest seems to say what the experts run with.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py (get_mxfp4_quant_algo)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Remove the variable, or serve openai/gpt-oss-120b or openai/gpt-oss-20b as published.",
)
def quantization_override_has_effect(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """OVERRIDE_QUANT_ALGO is set only for an MXFP4 checkpoint under TensorRT-LLM."""
    command = next(iter(worker.commands), None)
    # An equal default is no mistake: NVIDIA's own recipe writes it out. Nothing to say of an image that
    # starts its engine by itself.
    if command is None or OVERRIDE_VARIABLE not in command.environment:
        return
    if not is_tensorrt_llm(worker):
        yield f"sets {OVERRIDE_VARIABLE}, which TensorRT-LLM reads, and starts {command.engine}"
        return
    checkpoint = read_checkpoint(graph, worker)
    if checkpoint.mxfp4 is None:
        yield (
            f"sets {OVERRIDE_VARIABLE}, which is read for MXFP4 checkpoints alone; {checkpoint.text} is none"
        )


@rule(
    DISAGGREGATED,
    severity=Severity.ADVISORY,
    reason=(
        "A prompt is read with other activations than its answer is written with: quality and measurements "
        "are of neither. The engine compares nothing."
    ),
    source="NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py (get_mxfp4_quant_algo)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set OVERRIDE_QUANT_ALGO to one value on both, or on neither and place both on one GPU type.",
)
def same_quantization(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    """Prefill and decode run the experts with one algorithm."""
    workers = [worker for worker in group.workers if is_tensorrt_llm(worker)]
    if len(workers) < len(group.workers):
        return
    if any(read_checkpoint(graph, worker).mxfp4 is None for worker in workers):
        return
    by_algorithm = grouped(
        (algorithm, f"{worker.name} ({source})")
        for worker in workers
        for algorithm, source in _algorithms(graph, worker).items()
    )
    if len(by_algorithm) > 1:
        found = ", ".join(f"{name} in {' and '.join(users)}" for name, users in by_algorithm.items())
        yield f"prefill and decode differ in their experts: {found}"


def _algorithms(graph: ResourceGraph, worker: Worker) -> dict[str, str]:
    """Effective algorithm -> its source; several where the GPUs that the worker can land on differ."""
    settings = read_tensorrt_llm(graph, worker)
    override = read_override(settings)
    if override is not None and override.algorithm is not None:
        return {override.algorithm: "OVERRIDE_QUANT_ALGO"}
    kernels = [kernels_on(settings, gpu) for gpu in read_landing(graph, worker).accelerators]
    return {item.algorithm: item.algorithm_source for item in kernels}
