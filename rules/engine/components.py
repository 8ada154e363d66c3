"""What a graph's services and components are declared to be, and whether one of them answers HTTP."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Severity, failed
from rules.reading.disaggregation import MODE_FLAG, read_role
from rules.reading.engines.settings import is_vllm
from rules.reading.pods.pods import (
    COMPONENT_TYPES,
    GRAPH_KIND,
    SUB_COMPONENT_TYPES,
    PodTemplate,
    Unreadable,
    declared_type,
    read_pods,
    readable,
)
from rules.reading.pods.workers import (
    FRONTEND_TYPE,
    Worker,
    read_frontends,
    workers_by_resource,
)
from rules.reading.shapes import known, text_at
from rules.rule import graph_rule
from rules.subjects import POD_TEMPLATES, READABLE_WORKERS

_OTHER_ENTRANCES = frozenset({"epp"})
_SIDECAR = "frontendSidecar"
_INFERENCE_POOL = "InferencePool"


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "Workers take requests from Dynamo's request plane only; without a frontend, or with none running, "
        "nobody can ask them anything. A frontend of another file may do it."
    ),
    source="ai-dynamo/dynamo docs/kubernetes (frontend component) at 2a6da14",
    lines=("Dynamo 1.2 to 1.6",),
    fix="Add a component of type frontend with at least one replica.",
)
def graph_has_a_frontend(graph: ResourceGraph) -> Iterator[Observation]:
    """Nothing answers HTTP for the workers of a graph."""
    if graph.kubernetes_objects(_INFERENCE_POOL) or _starts_a_frontend(graph):
        return
    for found in workers_by_resource(graph).values():
        group, resource = [worker for worker in readable(found) if worker.commands], found[0].resource
        if group and resource.kind == GRAPH_KIND:
            names = ", ".join(worker.name for worker in group)
            yield failed(resource, resource.name, f"nothing that was read answers HTTP for {names}")


def _starts_a_frontend(graph: ResourceGraph) -> bool:
    entrances = (each.template for each in readable(read_frontends(graph)))
    return any(map(_has_pods, entrances)) or any(
        isinstance(each, Unreadable)
        or _SIDECAR in each.described_by
        or (each.component_type in {FRONTEND_TYPE, *_OTHER_ENTRANCES} and _has_pods(each))
        for each in read_pods(graph)
    )


def _has_pods(template: PodTemplate) -> bool:
    return known(getattr, template, "replicas") != 0


_CONSEQUENCE = "the operator gives it no system port, no probes and no managed rolling update"
_NO_DEFAULTS = "default"
"""Type of a v1alpha1 service that asks for no defaults (ai-dynamo/dynamo deploy/operator internal/consts)."""


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "Of an unknown type, such as `main` in older recipes, the operator makes a bare container: a worker "
        "that hangs is never restarted, one that loads counts as ready, and the service cannot become a "
        "component of a v1beta1 graph. It labels, probes and updates by the type, while requests go where "
        "the command line says."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator/internal/dynamo/component_common.go at 015d780 and internal/consts "
        "(labels); ai-dynamo 1.2.1 --disaggregation-mode"
    ),
    lines=("Dynamo 1.0 to 1.2",),
    fix=(
        "Set componentType: worker, and subComponentType: prefill or decode where the command line says so."
    ),
)
def component_type_known(graph: ResourceGraph) -> Iterator[Observation]:
    """Component's type is unknown to the operator, or contradicts its command line."""
    yield from POD_TEMPLATES.judge(graph, _unknown_type)
    yield from READABLE_WORKERS.judge(graph, _other_role)


def _unknown_type(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    declared = declared_type(template)
    # Of a patch the other half says what it is.
    if template.shape != "service" or (declared is None and not template.main.get("image")):
        return
    one_of = f"{_CONSEQUENCE}; one of {', '.join(COMPONENT_TYPES)}"
    if declared is None:
        yield f"has no componentType: {one_of}"
    elif declared not in (*COMPONENT_TYPES, _NO_DEFAULTS):
        yield f"componentType is {declared}, which the operator does not know: {one_of}"
    sub_type = text_at(template.described_by, "subComponentType")
    if sub_type is not None and sub_type not in SUB_COMPONENT_TYPES:
        yield f"subComponentType is {sub_type}, not {' or '.join(SUB_COMPONENT_TYPES)}"


def _other_role(_: ResourceGraph, worker: Worker) -> Iterator[str]:
    declared = worker.template.component_type
    if not worker.commands or worker.template.shape == "workload":
        return
    if declared == FRONTEND_TYPE:
        yield f"its type is {declared}, but it starts {worker.commands[0].engine}"
    elif declared in SUB_COMPONENT_TYPES:
        role = read_role(worker)
        # Without a word vLLM's worker does both, and decodes what a prefill worker hands it.
        does_both = declared == "decode" and role == "aggregated" and is_vllm(worker)
        if role != declared and not (does_both and worker.commands[0].flags.value(MODE_FLAG) is None):
            yield f"its type is {declared}, but its command line makes it {role}"
