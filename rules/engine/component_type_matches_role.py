"""A component's type says what its command line does."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.kv_transport.disaggregation import read_role
from rules.reading.pods.component_types import SUB_COMPONENT_TYPES
from rules.reading.pods.frontends import FRONTEND_TYPE
from rules.reading.pods.workers import Worker, check_workers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, _check_worker)


def _check_worker(worker: Worker) -> Iterator[Observation]:
    declared = worker.template.component_type
    if not worker.commands or worker.template.shape == "workload":
        return
    if declared == FRONTEND_TYPE:
        engine = worker.commands[0].engine
        yield failed(worker.resource, worker.name, f"its type is {declared}, but it starts {engine}")
    elif declared in SUB_COMPONENT_TYPES and read_role(worker) != declared:
        yield failed(
            worker.resource,
            worker.name,
            f"its type is {declared}, but its command line makes it {read_role(worker)}",
        )


RULE = Rule(
    id="component-type-matches-role",
    title="A component's type says what its command line does",
    severity=Severity.ADVISORY,
    reason=(
        "The operator labels, probes and updates by the type, and selectors and dashboards follow the "
        "labels, while requests go where the command line says."
    ),
    source="ai-dynamo/dynamo deploy/operator/internal/consts (labels); ai-dynamo 1.2.1 --disaggregation-mode",
    lines=("Dynamo 1.2",),
    fix="Make the type, or subComponentType, and --disaggregation-mode the same.",
    check=_check,
)
