"""A runtime image has a name under which NVIDIA publishes one."""

from collections.abc import Iterator, Mapping

from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.images import read_image
from rules.reading.pods.pods import PodTemplate, check_pods

_REGISTRY = "nvcr.io/nvidia/ai-dynamo/"
_WRONG_NAMES = {"trtllm-runtime": "tensorrtllm-runtime"}


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, _check_template)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    for container in template.containers:
        yield from _check_container(template.resource, template.name, container)


def _check_container(resource: Resource, name: str, container: Mapping[str, Value]) -> Iterator[Observation]:
    image = read_image(container)
    if image is None or not image.repository.startswith(_REGISTRY):
        return
    right = _WRONG_NAMES.get(image.name)
    if right is not None:
        yield failed(
            resource, name, f"image {image.text} is not published; the repository is {_REGISTRY}{right}"
        )


RULE = Rule(
    id="runtime-image-exists",
    title="A runtime image has a name under which it is published",
    severity=Severity.MANDATORY,
    reason="The image cannot be pulled, and the pod never starts.",
    source="ai-dynamo/dynamo release notes of 1.2.1 (images); the name in its older recipes, at 05e46aa",
    lines=("Dynamo 0.6 to 1.2",),
    fix="Write the repository that the finding names.",
    check=_check,
)
