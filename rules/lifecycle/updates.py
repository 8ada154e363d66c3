"""Whether an update reaches the pods that it is meant for, and finds again what an earlier one made."""

from collections.abc import Iterator

from resource_graph import Resource, ResourceGraph, has_unknown
from rules.reading.pods.operator_defaults import ANNOTATIONS, pod_annotations
from rules.reading.pods.pods import WORKER_TYPES, PodTemplate
from rules.reading.releases import operator_line
from rules.reading.shapes import grouped, mapping_at
from rules.rule import (
    EVERY_RELEASE,
    POD_TEMPLATES,
    Observation,
    Severity,
    failed,
    graph_rule,
    rule,
)

_CONFIG_MAP = "ConfigMap"
_PARTS = ("data", "binaryData")
_BY_POD_SINCE, _BY_POD_UNTIL = (1, 2), (1, 4)


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The second to be applied replaces the keys of the first: the pods of the first graph go on until "
        "one of them restarts, and then fail for want of their engine file."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b: trtllm/agg/deploy.yaml at 668dd11 and "
        "trtllm/disagg/deploy.yaml at 04521f4, both of which call theirs llm-config"
    ),
    lines=EVERY_RELEASE,
    fix="Give each graph a ConfigMap of its own name, best one that ends in a hash of its content.",
)
def config_names_unique(graph: ResourceGraph) -> Iterator[Observation]:
    """Two ConfigMaps of different content have one name."""
    by_name = grouped(
        ((each.provider, each.known_namespace, name), each)
        for each in graph.kubernetes_objects(_CONFIG_MAP)
        if isinstance(name := each.object_name, str)
    )
    for (_, _, name), (first, *others) in by_name.items():
        for other in others:
            is_known = not has_unknown(first.inputs) and not has_unknown(other.inputs)
            parts = ((first.inputs.get(part) or {}, other.inputs.get(part) or {}) for part in _PARTS)
            if is_known and any(one != another for one, another in parts):
                said = f"{_where(other)} and {_where(first)} have different content and are one object"
                yield failed(other, name, said)


def _where(resource: Resource) -> str:
    return f"the one of {resource.origin}" if resource.origin else f"the one registered as {resource.name}"


@rule(
    POD_TEMPLATES,
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
)
def rollout_annotated_on_the_pod(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Rollout of a v1alpha1 worker is annotated on the service alone."""
    if template.shape != "service" or template.component_type not in WORKER_TYPES:
        return
    on_pod, on_service = pod_annotations(template), mapping_at(template.described_by, "annotations")
    unread = [key for key in ANNOTATIONS if key in on_service and on_service[key] != on_pod.get(key)]
    if unread and _BY_POD_SINCE <= operator_line(graph, template.resource) < _BY_POD_UNTIL:
        named = ", ".join(f"{key}: {on_service[key]}" for key in unread)
        yield (
            f"has {named} among the annotations of the service, which do not hold between two generations "
            "of workers"
        )
