"""A container requests no more than its limit, and of a device as many as its limit."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.all_containers import all_containers
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.workers import GPU_RESOURCE
from rules.reading.quantities import quantity
from rules.reading.shapes import mapping_at

_MAY_BE_LESS = frozenset({"cpu", "memory", "ephemeral-storage"})
_GPU_OF_A_SERVICE = "gpu"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, _check_template)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    if template.shape == "service":
        own = mapping_at(template.described_by, "resources")
        yield from _check_resources(
            template, "its service", _amounts(own, "requests"), _amounts(own, "limits")
        )
    for name, container in all_containers(template):
        own = mapping_at(container, "resources")
        yield from _check_resources(
            template, f"container {name}", mapping_at(own, "requests"), mapping_at(own, "limits")
        )


def _amounts(resources: Mapping[str, Value], kind: str) -> Mapping[str, Value]:
    """Of a v1alpha1 service, which has devices of other makers below `custom`."""
    listed = dict(mapping_at(resources, kind))
    custom = mapping_at(resources, kind, "custom")
    if _GPU_OF_A_SERVICE in listed:
        listed[GPU_RESOURCE] = listed.pop(_GPU_OF_A_SERVICE)
    return {**{key: value for key, value in listed.items() if key != "custom"}, **custom}


def _check_resources(
    template: PodTemplate, where: str, requests: Mapping[str, Value], limits: Mapping[str, Value]
) -> Iterator[Observation]:
    for resource, requested in requests.items():
        allowed = limits.get(resource)
        if requested is None or allowed is None or requested == allowed:
            continue
        is_device = "/" in resource and not resource.startswith("hugepages")
        if resource not in _MAY_BE_LESS and not is_device:
            continue
        request, limit = (
            quantity(requested, f"{resource} of {where}"),
            quantity(allowed, f"{resource} of {where}"),
        )
        if request > limit or (is_device and request != limit):
            wanted = "and a device's must be equal" if request < limit else "which is less"
            message = f"{where} requests {requested} of {resource} with a limit of {allowed}, {wanted}"
            yield failed(template.resource, template.name, message)


RULE = Rule(
    id="requests-within-limits",
    title="A container requests no more than its limit, and of a device as many as its limit",
    severity=Severity.MANDATORY,
    reason="The API server refuses such a pod, so that its controller makes none.",
    source=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/ and "
        "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"
    ),
    lines=EVERY_RELEASE,
    fix="Give requests and limits one amount.",
    check=_check,
)
