"""A component's type says what its command line does."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.vllm import is_vllm
from rules.reading.kv_transport.disaggregation import role_with_file
from rules.reading.pods.component_types import SUB_COMPONENT_TYPES
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.frontends import FRONTEND_TYPE
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    declared = worker.template.component_type
    if not worker.commands or worker.template.shape == "workload":
        return
    if declared == FRONTEND_TYPE:
        engine = worker.commands[0].engine
        yield failed(worker.resource, worker.name, f"its type is {declared}, but it starts {engine}")
    elif declared in SUB_COMPONENT_TYPES:
        try:
            role = role_with_file(graph, worker)
        except EngineFileProblem:
            return
        # Without a word vLLM's worker does both, and decodes what a prefill worker hands it.
        if role != declared and not (declared == "decode" and role == "aggregated" and is_vllm(worker)):
            message = f"its type is {declared}, but its command line makes it {role}"
            yield failed(worker.resource, worker.name, message)


RULE = Rule(
    id="component-type-matches-role",
    title="A component's type says what its command line does",
    severity=Severity.ADVISORY,
    reason=(
        "The operator labels, probes and updates by the type, and selectors and dashboards follow the "
        "labels, while requests go where the command line says."
    ),
    source="ai-dynamo/dynamo deploy/operator/internal/consts (labels); ai-dynamo 1.2.1 --disaggregation-mode",
    lines=("Dynamo 1.2", "SGLang 0.5.14"),
    fix="Make the type, or subComponentType, and --disaggregation-mode the same.",
    check=_check,
)
