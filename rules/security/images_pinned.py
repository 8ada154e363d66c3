"""An image is the same one tomorrow."""

import re
from collections.abc import Iterator

from resource_graph import UNKNOWN, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.pods.all_containers import all_containers
from rules.reading.pods.images import read_image
from rules.reading.pods.pods import PodTemplate, check_pods

_VERSION = re.compile(r"\d")
_RELEASE = "kubernetes:helm.sh/v3:Release"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    yield from check_pods(graph, _check_template)
    for release in graph.of_type(_RELEASE):
        version = release.inputs.get("version")
        if version is UNKNOWN:
            yield undecided(release, release.name, "the version of its chart is known only after the update")
        elif not version:
            # The vendor's provider writes an empty text for one that nobody gave.
            yield failed(release, release.name, "names no version of its chart: the newest one is installed")


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    for name, container in all_containers(template):
        image = read_image(container)
        if image is None or image.digest is not None or image.is_placeholder:
            continue
        if image.tag is None:
            what = "has no tag, which means latest"
        elif _VERSION.search(image.tag) is None:
            what = f"has the tag {image.tag}, which names no version"
        else:
            continue
        yield failed(template.resource, template.name, f"image {image.text} of container {name} {what}")


RULE = Rule(
    id="images-pinned",
    title="Images and charts are pinned to a version",
    severity=Severity.ADVISORY,
    reason=(
        "A tag that moves gives the pods of one graph different engines, the restart of a pod another one "
        "than the update, and nothing to go back to."
    ),
    source="https://kubernetes.io/docs/concepts/containers/images/#image-names",
    lines=EVERY_RELEASE,
    fix="Name the release in the tag, or a digest; a chart by its version.",
    check=_check,
)
