"""A runtime image has a name under which NVIDIA publishes one."""

from collections.abc import Iterator, Mapping

from resource_graph import Resource, ResourceGraph, Value
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.commands.spelling import slip_of
from rules.reading.pods.images import Image, read_image
from rules.reading.pods.pods import PodTemplate, check_pods

_HOST = "nvcr.io/"
_REGISTRY = f"{_HOST}nvidia/ai-dynamo/"
_WRONG_NAMES = {"trtllm-runtime": "tensorrtllm-runtime"}
_RUNTIMES = ("dynamo-frontend", "sglang-runtime", "tensorrtllm-runtime", "vllm-runtime")
_NAMES = (
    *_RUNTIMES,
    "dynamo-planner",
    "epp-image",
    "kubernetes-operator",
    "snapshot-agent",
    "vllm-runtime-xpu",
)
_SLIPS = 2


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, _check_template)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    for container in template.containers:
        yield from _check_container(template.resource, template.name, container)


def _check_container(resource: Resource, name: str, container: Mapping[str, Value]) -> Iterator[Observation]:
    image = read_image(container)
    if image is None or image.is_placeholder:
        return
    right = _published(image)
    if right is not None:
        yield failed(resource, name, f"image {image.text} is not published; the repository is {right}")
    elif image.repository.removesuffix(image.name) == _REGISTRY and image.name not in _NAMES:
        known = f"known under {_REGISTRY} are {', '.join(_NAMES)}"
        yield undecided(resource, name, f"whether {image.repository} is published is not known here; {known}")


def _published(image: Image) -> str | None:
    """The repository that was meant; None where the image's own may be right."""
    path = image.repository.removesuffix(image.name)
    if path == _REGISTRY:
        right = _WRONG_NAMES.get(image.name)
        if right is None and image.name not in _NAMES:
            right = slip_of(image.name, _NAMES, _SLIPS)
        return None if right is None else f"{_REGISTRY}{right}"
    if image.name not in _RUNTIMES:
        return None
    # Other organisations of that host, and other hosts, keep copies; a slip of the pen is none of them.
    left_out = path == f"{_HOST}ai-dynamo/" or path.startswith(f"{_HOST}nvidia/")
    return f"{_REGISTRY}{image.name}" if left_out or slip_of(path, [_REGISTRY], _SLIPS) else None


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
