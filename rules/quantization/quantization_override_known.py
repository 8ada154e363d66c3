"""OVERRIDE_QUANT_ALGO names an algorithm that the engine knows."""

from collections.abc import Iterator

from hardware import MXFP4_ALGORITHMS
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import check_tensorrt_llm
from rules.reading.engines.expert_kernels import OVERRIDE_VARIABLE, read_override
from rules.reading.engines.tensorrt_llm import TensorRtLlmSettings
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_tensorrt_llm(graph, _check_worker)


def _check_worker(worker: Worker, settings: TensorRtLlmSettings) -> Iterator[Observation]:
    override = read_override(settings)
    if override is None or override.algorithm is not None:
        return
    known = ", ".join(MXFP4_ALGORITHMS)
    yield failed(
        worker.resource,
        worker.name,
        f"{OVERRIDE_VARIABLE} is {override.text!r}, which is none of {known}: the engine warns and takes its "
        "default",
    )


RULE = Rule(
    id="quantization-override-known",
    title="OVERRIDE_QUANT_ALGO names an algorithm that the engine knows",
    severity=Severity.ADVISORY,
    reason=(
        "An unknown value is ignored with one line in the log; the worker serves with other activations than "
        "the manifest says."
    ),
    source="NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py (override_quant_algo)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Write one of the three names, in any case of letters and without blanks, or leave the variable out.",
    check=_check,
)
