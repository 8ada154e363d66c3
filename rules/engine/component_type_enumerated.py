"""Every component of a v1beta1 graph has a type that the API accepts."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.component_types import COMPONENT_TYPES
from rules.reading.pods.pods import PodTemplate, check_pods


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, _check_template)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    if template.shape != "component":
        return
    declared = template.component_type
    if declared is not None and declared not in COMPONENT_TYPES:
        yield failed(
            template.resource,
            template.name,
            f"type is {declared}, which nvidia.com/v1beta1 does not accept: one of "
            f"{', '.join(COMPONENT_TYPES)}",
        )


RULE = Rule(
    id="component-type-enumerated",
    title="Every component of a v1beta1 graph has a type that the API accepts",
    severity=Severity.MANDATORY,
    reason="The API server refuses the graph.",
    source="ai-dynamo/dynamo deploy/operator/api/v1beta1 at 02911c8 (ComponentType)",
    lines=("Dynamo 1.2",),
    fix="Write one of the types that the finding names; what older recipes call `main` is a worker.",
    check=_check,
)
