"""The experts run with what was asked for, and NVIDIA tests it."""

from collections.abc import Iterator

from hardware import MoeOutcome
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.expert_kernels import kernels_with_outcomes
from rules.reading.pods.workers import Worker

_NOT_AS_ASKED = frozenset({MoeOutcome.RUNS_AS_CUTLASS, MoeOutcome.UNTESTED, MoeOutcome.NOT_DECLARED})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, lambda worker, _: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    for landing, kernels in kernels_with_outcomes(graph, worker, _NOT_AS_ASKED):
        yield failed(
            worker.resource,
            worker.name,
            f"{kernels} {kernels.support.outcome.value} on {kernels.accelerator.name} ({landing.source}): "
            f"{kernels.support.reason}",
        )


RULE = Rule(
    id="moe-backend-substituted",
    title="The experts run with the backend that is written, and NVIDIA tests it on that GPU",
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
    check=_check,
)
