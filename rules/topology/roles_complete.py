"""A graph has both halves of disaggregated serving."""

import re
from collections.abc import Iterator, Sequence

from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.container_scripts import mentions
from rules.reading.engines.vllm import is_vllm
from rules.reading.kv_transport.disaggregation import role_with_file
from rules.reading.nodes.device_claims import may_be_one
from rules.reading.once import once_per_graph
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, Unreadable, read_pods
from rules.reading.pods.workers import Worker, environment_lists, read_workers
from rules.reading.shapes import Undecided, text_at

_SCALED_BY = frozenset({"scalingAdapter", "autoscaling"})
_PLANNER = "planner"
_NAMESPACES = ("dynamoNamespace", "globalDynamoNamespace")
_NAMESPACE_VARIABLE = "DYN_NAMESPACE"
_OTHER_GRAPHS = re.compile(r"global[_-]router|--namespace\b|\bDYN_NAMESPACE\b|\bdyn://")
"""Of commands that look into another Dynamo namespace than their graph's."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    workers_of: dict[str, list[Worker | Unreadable]] = {}
    for worker in read_workers(graph):
        workers_of.setdefault(worker.resource.urn, []).append(worker)
    templates_of: dict[str, list[PodTemplate | Unreadable]] = {}
    for template in read_pods(graph):
        templates_of.setdefault(template.resource.urn, []).append(template)
    for resource in graph.kubernetes_objects(GRAPH_KIND):
        workers, templates = workers_of.get(resource.urn, []), templates_of.get(resource.urn, [])
        try:
            message = _problem(graph, workers, templates)
            if message is not None and _is_completed(graph, resource.namespace):
                continue
        except Undecided:
            # A worker that cannot be read may be the half that is missing; others say that it cannot be.
            continue
        if message is not None:
            yield failed(resource, _name(resource), message)


def _problem(
    graph: ResourceGraph,
    workers: Sequence[Worker | Unreadable],
    templates: Sequence[PodTemplate | Unreadable],
) -> str | None:
    if any(isinstance(each, Unreadable) for each in (*workers, *templates)):
        return None
    readable = [worker for worker in workers if isinstance(worker, Worker)]
    if any(_finds_others(worker) or not worker.commands for worker in readable):
        return None
    pods = [template for template in templates if isinstance(template, PodTemplate)]
    is_scaled = any(template.component_type == _PLANNER for template in pods)
    there = [worker for worker in readable if is_scaled or _has_pods(worker)]
    roles = {worker: role_with_file(graph, worker) for worker in there}
    prefill = [worker.name for worker in there if roles[worker] == "prefill"]
    decode = [worker for worker in there if roles[worker] == "decode"]
    others = [worker for worker in there if roles[worker] == "aggregated"]
    if prefill and not decode and not others:
        return f"{', '.join(prefill)} prefills, and no worker of the graph decodes: no request is answered"
    if decode and not prefill and not others and not any(is_vllm(worker) for worker in decode):
        names = ", ".join(worker.name for worker in decode)
        return f"{names} decodes, and no worker of the graph prefills: each request ends with an error"
    return None


def _is_completed(graph: ResourceGraph, namespace: Value) -> bool:
    """Whether a router over several graphs may bring halves of that namespace together."""
    place = namespace if isinstance(namespace, str) else None
    remembered = _remembered(graph)
    if place not in remembered:
        templates = [each for each in read_pods(graph) if may_be_one(each.resource.namespace, place)]
        workers = [each for each in read_workers(graph) if may_be_one(each.resource.namespace, place)]
        # Each graph is a Dynamo namespace of its own, and frontends and routers look no further unless told.
        is_joined = any(isinstance(each, Unreadable) or _joins(each) for each in templates)
        remembered[place] = is_joined and _problem(graph, workers, templates) is None
    return remembered[place]


def _joins(template: PodTemplate) -> bool:
    lists = environment_lists(template, template.main)
    return (
        any(entry.get("name") == _NAMESPACE_VARIABLE for entries in lists for entry in entries)
        or any(template.described_by.get(key) for key in _NAMESPACES)
        or any(mentions(container, _OTHER_GRAPHS) for container in template.containers)
    )


@once_per_graph
def _remembered(_: ResourceGraph) -> dict[str | None, bool]:
    return {}


def _has_pods(worker: Worker) -> bool:
    scaled = any(key in worker.described_by for key in _SCALED_BY)
    return scaled or worker.template.replicas > 0


def _finds_others(worker: Worker) -> bool:
    """Whether workers of other graphs may be its other half."""
    named = any(worker.described_by.get(key) for key in _NAMESPACES)
    return named or _NAMESPACE_VARIABLE in worker.environment


def _name(resource: Resource) -> str:
    return text_at(resource.metadata, "name") or resource.name


RULE = Rule(
    id="roles-complete",
    title="A graph with prefill workers has decode workers, and the other way round",
    severity=Severity.MANDATORY,
    reason=(
        "A prefill worker answers nothing by itself. A decode worker of TensorRT-LLM or SGLang raises an "
        "error for a request that no prefill worker has begun; vLLM's computes the prompt itself."
    ),
    source=(
        "ai-dynamo 1.2.1 and 1.3.1 from PyPI: dynamo/trtllm/request_handlers/handler_base.py, "
        "dynamo/sglang/request_handlers/llm/decode_handler.py"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.3"),
    fix="Add the other half with at least one replica, or take --disaggregation-mode away.",
    check=_check,
)
