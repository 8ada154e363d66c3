"""Frontends and workers request the CPU and memory that they use."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.resources import requested, shared_memory
from rules.reading.pods.serving_pods import serving_containers


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for name, container in serving_containers(graph, template):
        missing = _missing(template, container)
        if not missing:
            continue
        message = f"requests no {' and no '.join(missing)}, nor has it such a limit"
        shared = shared_memory(template, container) if "memory" in missing else None
        if shared is not None:
            message += f"; {shared.size} of shared memory ({shared.source}) count as its memory too"
        yield failed(template.resource, name, message)


def _missing(template: PodTemplate, container: Mapping[str, Value]) -> list[str]:
    return [resource for resource in ("cpu", "memory") if requested(template, container, resource) is None]


RULE = Rule(
    id="pods-request-memory",
    title="Frontends and workers request CPU and memory",
    severity=Severity.ADVISORY,
    reason=(
        "Without requests the scheduler counts a pod as free: several land where only one has room, and "
        "under memory pressure the kubelet evicts them first, model and all."
    ),
    source="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    lines=EVERY_RELEASE,
    fix="Request the worker's share of the node's CPU and memory, the model's size in memory included.",
    check=_check,
)
