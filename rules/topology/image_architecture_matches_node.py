"""An image that is made for one processor architecture runs on nodes of that architecture."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.image_architecture import node_architectures, suffixed_images
from rules.reading.pods.pods import PodTemplate, check_pods


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for image in suffixed_images(template):
        if image.is_disputed:
            continue
        for landing in node_architectures(graph, template):
            if landing.architecture != image.architecture:
                yield failed(
                    template.resource,
                    template.name,
                    f"its image {image.name} is made for {image.architecture}, but it can land on "
                    f"{landing.architecture} ({landing.source})",
                )


RULE = Rule(
    id="image-architecture-matches-node",
    title="An image made for one architecture runs on nodes of that architecture",
    severity=Severity.MANDATORY,
    reason=(
        "GB200 nodes are arm64, B200 and H200 nodes amd64. Of an image of the other one the container "
        "runtime says 'no match for platform in manifest', or the container ends with an exec format error."
    ),
    source=(
        "FoundationDB/fdb-kubernetes-operator#2294; ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg at "
        "668dd11 (an -arm64 tag)"
    ),
    lines=EVERY_RELEASE,
    fix="Use a tag without suffix, which holds both architectures, or select nodes by kubernetes.io/arch.",
    check=_check,
)
