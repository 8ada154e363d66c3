"""Every service of a graph has a type that the operator knows."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.component_types import COMPONENT_TYPES, SUB_COMPONENT_TYPES, declared_type
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.shapes import text_at

_CONSEQUENCE = "the operator gives it no system port, no probes and no managed rolling update"

_NO_DEFAULTS = "default"
"""Of v1alpha1: it asks for none of them (ai-dynamo/dynamo deploy/operator internal/consts)."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, _check_template)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    if template.shape != "service":
        return
    declared = declared_type(template)
    allowed = ", ".join(COMPONENT_TYPES)
    if declared is None and not template.main.get("image"):
        # A patch, whose other half says what it is.
        return
    if declared is None:
        yield failed(
            template.resource, template.name, f"has no componentType: {_CONSEQUENCE}; one of {allowed}"
        )
    elif declared not in (*COMPONENT_TYPES, _NO_DEFAULTS):
        yield failed(
            template.resource,
            template.name,
            f"componentType is {declared}, which the operator does not know: {_CONSEQUENCE}; one of "
            f"{allowed}",
        )
    sub_type = text_at(template.described_by, "subComponentType")
    if sub_type is not None and sub_type not in SUB_COMPONENT_TYPES:
        yield failed(
            template.resource,
            template.name,
            f"subComponentType is {sub_type}, not {' or '.join(SUB_COMPONENT_TYPES)}",
        )


RULE = Rule(
    id="component-type-known",
    title="Every service of a graph has a type that the operator knows",
    severity=Severity.ADVISORY,
    reason=(
        "Of an unknown type, such as `main` in older recipes, the operator makes a bare container: a worker "
        "that hangs is never restarted, one that loads counts as ready, and the service cannot become "
        "a component of a v1beta1 graph."
    ),
    source="ai-dynamo/dynamo deploy/operator/internal/dynamo/component_common.go at 015d780",
    lines=("Dynamo 1.0",),
    fix="Set componentType: worker, and subComponentType: prefill or decode where the worker is one.",
    check=_check,
)
