"""A variable that picks vLLM's expert kernels is not overruled by a flag."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.engines.vllm_experts import AUTO, BACKEND_FLAG, read_vllm_backend, read_vllm_variables
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    if not is_vllm(worker):
        return
    settings = read_vllm(graph, worker)
    backend = read_vllm_backend(settings)
    if backend.value == AUTO:
        return
    for variable in read_vllm_variables(settings.command.environment):
        yield failed(
            worker.resource,
            worker.name,
            f"{variable.name} asks for {variable.kernels.activations} activations, but is read with "
            f"{BACKEND_FLAG} auto alone; {backend.value} ({backend.source}) computes in BF16",
        )


RULE = Rule(
    id="vllm-moe-env-without-effect",
    title="A variable that picks vLLM's expert kernels acts, or is not set",
    severity=Severity.ADVISORY,
    reason=(
        "With --moe-backend the variables are not read and the experts compute in BF16, whatever the "
        "manifest seems to say."
    ),
    source="vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py",
    lines=("vLLM 0.20.1",),
    fix="Remove --moe-backend, or the variable.",
    check=_check,
)
