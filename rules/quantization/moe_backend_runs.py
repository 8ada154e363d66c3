"""The experts' backend, their algorithm and the GPU go together."""

from collections.abc import Iterator

from hardware import MoeOutcome
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.expert_kernels import kernels_with_outcomes, read_expert_parallel_size
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker

_STOPS = frozenset({MoeOutcome.FAILS, MoeOutcome.ASSERTS})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, lambda worker, settings: _check_worker(graph, worker, settings))


def _check_worker(
    graph: ResourceGraph, worker: Worker, settings: TensorRtLlmSettings
) -> Iterator[Observation]:
    for landing, kernels in kernels_with_outcomes(graph, worker, _STOPS):
        gpu = kernels.accelerator
        parallel = read_expert_parallel_size(settings)
        split = f" and expert parallelism {parallel}" if parallel > 1 else ""
        yield failed(
            worker.resource,
            worker.name,
            f"{kernels}{split} {kernels.support.outcome.value} on {gpu.name} ({gpu.architecture_family}, "
            f"{landing.source}), where it can land: {kernels.support.reason}",
        )


RULE = Rule(
    id="moe-backend-runs",
    title="The experts of gpt-oss run with their backend and algorithm on the worker's GPU",
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
    check=_check,
)
