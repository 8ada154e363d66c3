"""The admission of newer platforms can tell a graph's runtime version."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.images import read_image
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.program.platforms import read_platforms
from rules.reading.shapes import text_at

_SINCE = (1, 4)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    lines = [platform.line for platform in read_platforms(graph)]
    if len(lines) != 1 or lines[0] is None or lines[0] < _SINCE:
        return iter(())
    return check_pods(graph, _check_template)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    if template.shape == "workload" or text_at(template.described_by, "runtimeVersionOverride"):
        return
    image = read_image(template.main)
    if image is None:
        yield failed(template.resource, template.name, "its main container names no image")
    elif image.line is None:
        yield failed(
            template.resource,
            template.name,
            f"image {image.text} has no version as its tag, and no runtimeVersionOverride says it",
        )


RULE = Rule(
    id="image-tag-admitted",
    title="The platform can tell the runtime's version",
    severity=Severity.MANDATORY,
    reason="From release 1.4 on admission refuses an image whose tag is no version, or that has a digest.",
    source="ai-dynamo/dynamo deploy/operator, admission of DynamoGraphDeployment since 1.4",
    lines=("Dynamo 1.4",),
    fix="Use a tag that is a version, or set runtimeVersionOverride: MAJOR.MINOR.PATCH.",
    check=_check,
)
