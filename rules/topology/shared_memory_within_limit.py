"""Shared memory is smaller than the container's memory limit."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.resources import limit, shared_memory
from rules.reading.pods.serving_pods import serving_containers
from rules.reading.quantities import quantity


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for name, container in serving_containers(graph, template):
        yield from _check_container(template, name, container)


def _check_container(
    template: PodTemplate, name: str, container: Mapping[str, Value]
) -> Iterator[Observation]:
    memory = limit(template, container, "memory")
    shared = None if memory is None else shared_memory(template, container)
    if shared is None:
        return
    if quantity(shared.size, shared.source) < quantity(memory, "the memory limit"):
        return
    yield failed(
        template.resource,
        name,
        f"has {shared.size} of shared memory ({shared.source}), which counts as its own memory, of which the "
        f"limit is {memory}",
    )


RULE = Rule(
    id="shared-memory-within-limit",
    title="Shared memory is smaller than the memory limit",
    severity=Severity.ADVISORY,
    reason=(
        "The volume at /dev/shm is a tmpfs: what is written there counts as memory of the container, which "
        "is killed at its limit long before the volume is full."
    ),
    source="https://kubernetes.io/docs/concepts/storage/volumes/#emptydir (medium Memory)",
    lines=EVERY_RELEASE,
    fix="Raise the memory limit above shared memory and process together, or lower the shared memory.",
    check=_check,
)
