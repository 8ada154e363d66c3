"""Something answers HTTP for the workers of a graph."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.frontends import FRONTEND_TYPE, Frontend, read_frontends
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, read_pods
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided

_OTHER_ENTRANCES = frozenset({"epp"})
_SIDECAR = "frontendSidecar"
_INFERENCE_POOL = "InferencePool"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    if graph.kubernetes_objects(_INFERENCE_POOL) or _starts_a_frontend(graph):
        return
    workers: dict[str, list[Worker]] = {}
    for worker in read_workers(graph):
        if isinstance(worker, Worker) and worker.resource.kind == GRAPH_KIND and worker.commands:
            workers.setdefault(worker.resource.urn, []).append(worker)
    for group in workers.values():
        names, resource = ", ".join(worker.name for worker in group), group[0].resource
        yield failed(resource, resource.name, f"nothing that was read answers HTTP for {names}")


def _starts_a_frontend(graph: ResourceGraph) -> bool:
    if any(not isinstance(template, PodTemplate) for template in read_pods(graph)):
        return True
    for template in read_pods(graph):
        if not isinstance(template, PodTemplate):
            continue
        is_entrance = template.component_type in {FRONTEND_TYPE, *_OTHER_ENTRANCES}
        if _SIDECAR in template.described_by or (is_entrance and _has_pods(template)):
            return True
    return any(isinstance(each, Frontend) and _has_pods(each.template) for each in read_frontends(graph))


def _has_pods(template: PodTemplate) -> bool:
    try:
        return template.replicas > 0
    except Undecided:
        return True


RULE = Rule(
    id="graph-has-a-frontend",
    title="Something answers HTTP for the workers of a graph",
    severity=Severity.ADVISORY,
    reason=(
        "Workers take requests from Dynamo's request plane only; without a frontend, or with none running, "
        "nobody can ask them anything. A frontend of another file may do it."
    ),
    source="ai-dynamo/dynamo docs/kubernetes (frontend component) at 2a6da14",
    lines=("Dynamo 1.2 to 1.6",),
    fix="Add a component of type frontend with at least one replica.",
    check=_check,
)
