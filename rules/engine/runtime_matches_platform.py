"""Runtime images are of the platform's release line."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.pods.images import Image, read_image
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.program.operator_line import RUNTIMES
from rules.reading.program.platforms import Platform, read_platforms


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    platforms = read_platforms(graph)
    # With several platforms nothing says which one serves a graph.
    if len(platforms) != 1:
        return iter(())
    return check_pods(graph, lambda template: _check_template(template, platforms[0]))


def _check_template(template: PodTemplate, platform: Platform) -> Iterator[Observation]:
    if template.shape == "workload" or platform.line is None:
        return
    image = read_image(template.main)
    if image is None or image.name not in RUNTIMES:
        return
    if image.line is None:
        yield undecided(
            template.resource, template.name, f"image {image.text} does not say which release it is of"
        )
    elif image.line != platform.line:
        yield failed(template.resource, template.name, _message(image, platform))


def _message(image: Image, platform: Platform) -> str:
    return f"image {image.text} runs under platform {platform.version} ({platform.resource.name})"


RULE = Rule(
    id="runtime-matches-platform",
    title="Runtime images are of the platform's release line",
    severity=Severity.ADVISORY,
    reason=(
        "Operator and runtime agree on variables, ports and discovery release by release; NVIDIA tests and "
        "publishes them together."
    ),
    source="ai-dynamo/dynamo release notes (images and chart of one version)",
    lines=EVERY_RELEASE,
    fix="Take images of the chart's major and minor version.",
    check=_check,
)
