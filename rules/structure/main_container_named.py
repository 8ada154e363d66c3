"""Every component of a v1beta1 graph has a container `main`."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from resource_graph.resource import Path
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pods import PodTemplate, read_pods
from rules.reading.shapes import mappings_at, text_at


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for template in read_pods(graph):
        # Why a template cannot be read is said by the rules about its fields.
        if isinstance(template, PodTemplate) and template.shape == "component" and not template.main:
            names = [str(text_at(container, "name")) for container in template.containers[1:]]
            has = f"its containers are {', '.join(names)}" if names else "it has no container"
            said = f"no container of the pod template is called main: {has}"
            yield failed(template.resource, template.name, said, _path(template))


def _path(template: PodTemplate) -> Path:
    """Of the component, in whose line there is no other name to show."""
    for index, component in enumerate(mappings_at(template.graph_spec, "components")):
        if component is template.described_by:
            return ("spec", "components", index)
    return ()


RULE = Rule(
    id="main-container-named",
    title="Every component of a v1beta1 graph has a container `main`",
    severity=Severity.MANDATORY,
    reason="The operator starts the engine in that container. Without it the pod has no image to run, and "
    "admission refuses the graph from release 1.4 on.",
    source="ai-dynamo/dynamo deploy/operator/api/v1beta1 and internal/webhook/validation at d7bb84e",
    lines=("Dynamo 1.4",),
    fix="Call the container that serves `main`.",
    check=_check,
)
