"""The 1.2 EFA images, which say amd64 in their tag, run on amd64 nodes."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.image_architecture import node_architectures, suffixed_images
from rules.reading.pods.pods import PodTemplate, check_pods


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for image in suffixed_images(template):
        if not image.is_disputed:
            continue
        for landing in node_architectures(graph, template):
            if landing.architecture != image.architecture:
                yield failed(
                    template.resource,
                    template.name,
                    f"its image {image.name} may hold {image.architecture} alone, and it can land on "
                    f"{landing.architecture} ({landing.source})",
                )


RULE = Rule(
    id="efa-image-architecture",
    title="The EFA images of Dynamo 1.2 run on amd64 nodes",
    severity=Severity.ADVISORY,
    reason=(
        "NVIDIA's release page lists the -efa-amd64 tags of 1.2 for AMD64 only, while its release data and "
        "ai-dynamo/dynamo#13049 say that they hold both architectures: on an arm64 node it may not start."
    ),
    source="https://docs.nvidia.com/dynamo/ (release 1.2.1, artifacts); ai-dynamo/dynamo#13049",
    lines=("Dynamo 1.2",),
    fix=(
        "Look at the image's manifest (`docker manifest inspect`), or use an -efa tag of 1.3 or later, which "
        "is published for both."
    ),
    check=_check,
)
