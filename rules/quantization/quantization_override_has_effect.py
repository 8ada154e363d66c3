"""OVERRIDE_QUANT_ALGO is set only where the engine reads it."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.checkpoints import read_checkpoint
from rules.reading.engines.expert_kernels import OVERRIDE_VARIABLE
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    command = next(iter(worker.commands), None)
    # An equal default is no mistake: NVIDIA's own recipe writes it out. Nothing to say of an image that
    # starts its engine by itself.
    if command is None or OVERRIDE_VARIABLE not in command.environment:
        return
    if not is_tensorrt_llm(worker):
        yield failed(
            worker.resource,
            worker.name,
            f"sets {OVERRIDE_VARIABLE}, which TensorRT-LLM reads, and starts {command.engine}",
        )
        return
    checkpoint = read_checkpoint(graph, worker)
    if checkpoint.mxfp4 is None:
        yield failed(
            worker.resource,
            worker.name,
            f"sets {OVERRIDE_VARIABLE}, which is read for MXFP4 checkpoints alone; {checkpoint.text} is none",
        )


RULE = Rule(
    id="quantization-override-has-effect",
    title="OVERRIDE_QUANT_ALGO is set only for an MXFP4 checkpoint under TensorRT-LLM",
    severity=Severity.ADVISORY,
    reason="Elsewhere nothing reads it, while the manifest seems to say what the experts run with.",
    source="NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py (get_mxfp4_quant_algo)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Remove the variable, or serve openai/gpt-oss-120b or openai/gpt-oss-20b as published.",
    check=_check,
)
