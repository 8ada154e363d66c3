"""What containers ask for of CPU, memory and devices."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Severity, failed
from rules.reading.memoized import memoized
from rules.reading.pods.containers import all_containers, limit, requested, shared_memory
from rules.reading.pods.pods import PodTemplate, readable
from rules.reading.pods.workers import FRONTEND_TYPE, GPU_RESOURCE, read_frontends, read_workers
from rules.reading.shapes import mapping_at, quantity
from rules.rule import rule
from rules.subjects import POD_TEMPLATES

_Container = Mapping[str, Value]
_MAY_BE_LESS = frozenset({"cpu", "memory", "ephemeral-storage"})
_GPU_OF_A_SERVICE = "gpu"


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason="The API server refuses such a pod, so that its controller makes none.",
    source=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/ and "
        "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"
    ),
    lines=EVERY_RELEASE,
    fix="Give requests and limits one amount.",
)
def requests_within_limits(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """A container requests no more than its limit, and of a device as many as its limit."""
    if template.shape == "service":
        own = mapping_at(template.described_by, "resources")
        yield from _beyond_limits("its service", _amounts(own, "requests"), _amounts(own, "limits"))
    for name, container in all_containers(template):
        own = mapping_at(container, "resources")
        yield from _beyond_limits(f"container {name}", mapping_at(own, "requests"), mapping_at(own, "limits"))


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "Without requests the scheduler counts a pod as free: several land where only one has room, and "
        "under memory pressure the kubelet evicts them first, model and all."
    ),
    source="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    lines=EVERY_RELEASE,
    fix="Request the worker's share of the node's CPU and memory, the model's size in memory included.",
)
def pods_request_memory(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    """Frontends and workers request CPU and memory."""
    for name, container in _serving_containers(graph, template):
        missing = [each for each in ("cpu", "memory") if requested(template, container, each) is None]
        if not missing:
            continue
        message = f"requests no {' and no '.join(missing)}, nor has it such a limit"
        shared = shared_memory(template, container) if "memory" in missing else None
        if shared is not None:
            message += f"; {shared.value} of shared memory ({shared.source}) count as its memory too"
        yield failed(template.resource, name, message)


@rule(
    POD_TEMPLATES,
    severity=Severity.ADVISORY,
    reason=(
        "The volume at /dev/shm is a tmpfs: what is written there counts as memory of the container, which "
        "is killed at its limit long before the volume is full."
    ),
    source="https://kubernetes.io/docs/concepts/storage/volumes/#emptydir (medium Memory)",
    lines=EVERY_RELEASE,
    fix="Raise the memory limit above shared memory and process together, or lower the shared memory.",
)
def shared_memory_within_limit(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    """Shared memory is smaller than the memory limit."""
    for name, container in _serving_containers(graph, template):
        memory = limit(template, container, "memory")
        shared = None if memory is None else shared_memory(template, container)
        if shared is None:
            continue
        if quantity(shared.value, shared.source) < quantity(memory, "the memory limit"):
            continue
        message = (
            f"has {shared.value} of shared memory ({shared.source}), which counts as its own memory, of "
            f"which the limit is {memory}"
        )
        yield failed(template.resource, name, message)


def _serving_containers(graph: ResourceGraph, template: PodTemplate) -> Iterator[tuple[str, _Container]]:
    """Name and container of every frontend and worker that the template's pods run."""
    if template.component_type == FRONTEND_TYPE:
        yield template.name, template.main
        return
    yield from _serving(graph).get(template, ())


@memoized
def _serving(graph: ResourceGraph) -> Mapping[PodTemplate, list[tuple[str, _Container]]]:
    found: dict[PodTemplate, list[tuple[str, _Container]]] = {}
    for each in readable((*read_workers(graph), *read_frontends(graph))):
        containers = found.setdefault(each.template, [])
        # One container may start both a frontend and a worker.
        if all(container is not each.container for _, container in containers):
            containers.append((each.name, each.container))
    return found


def _amounts(resources: Mapping[str, Value], kind: str) -> Mapping[str, Value]:
    """The amounts of a v1alpha1 service, which has devices of other makers below `custom`."""
    listed = dict(mapping_at(resources, kind))
    custom = mapping_at(resources, kind, "custom")
    if _GPU_OF_A_SERVICE in listed:
        listed[GPU_RESOURCE] = listed.pop(_GPU_OF_A_SERVICE)
    return {**{key: value for key, value in listed.items() if key != "custom"}, **custom}


def _beyond_limits(where: str, requests: Mapping[str, Value], limits: Mapping[str, Value]) -> Iterator[str]:
    for resource, wanted in requests.items():
        allowed = limits.get(resource)
        if wanted is None or allowed is None or wanted == allowed:
            continue
        is_device = "/" in resource and not resource.startswith("hugepages")
        if resource not in _MAY_BE_LESS and not is_device:
            continue
        request = quantity(wanted, f"{resource} of {where}")
        most = quantity(allowed, f"{resource} of {where}")
        if request > most or (is_device and request != most):
            why = "and a device's must be equal" if request < most else "which is less"
            yield f"{where} requests {wanted} of {resource} with a limit of {allowed}, {why}"
