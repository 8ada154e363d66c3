"""The rollout of a v1alpha1 service is annotated where the operator reads it."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.component_types import WORKER_TYPES
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.rollouts import ANNOTATIONS, pod_annotations
from rules.reading.program.operator_line import operator_line
from rules.reading.shapes import mapping_at

_SINCE, _MENDED = (1, 2), (1, 4)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    if template.shape != "service" or template.component_type not in WORKER_TYPES:
        return
    on_pod, on_service = pod_annotations(template), mapping_at(template.described_by, "annotations")
    unread = [key for key in ANNOTATIONS if key in on_service and on_service[key] != on_pod.get(key)]
    if not unread or not _SINCE <= operator_line(graph, template.resource) < _MENDED:
        return
    named = ", ".join(f"{key}: {on_service[key]}" for key in unread)
    yield failed(
        template.resource,
        template.name,
        f"has {named} among the annotations of the service, which do not hold between two generations of "
        "workers",
    )


RULE = Rule(
    id="rollout-annotated-on-the-pod",
    title="The rollout of a v1alpha1 worker is annotated on its pods",
    severity=Severity.MANDATORY,
    reason=(
        "Every changed worker is another generation, and before 1.4 the operator goes by the pod template's "
        "annotations when it exchanges one for the other. Where they are missing it surges by a quarter: on "
        "a full node the new pod stays Pending, the old one stays, and the update never ends."
    ),
    source=(
        "ai-dynamo/dynamo#11909 (mended in 1.4); ai-dynamo/dynamo "
        "deploy/operator/internal/controller/dynamographdeployment_rollingupdate.go at 0a132bc43, and seen "
        "with the operator built from it"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.4"),
    fix="Write the same annotations into extraPodMetadata.annotations; or write the graph in v1beta1.",
    check=_check,
)
