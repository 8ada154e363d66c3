"""The pods that a Service selects."""

from collections.abc import Sequence

from resource_graph import Resource, ResourceGraph
from rules.reading.pods.pods import GROUP_KIND, OF_GROUPS, PodTemplate, pods_near
from rules.reading.shapes import field, mapping_at, text_at


def selected_pods(graph: ResourceGraph, service: Resource) -> Sequence[PodTemplate]:
    """The pods that a Service selects; none for one without a selector."""
    written = mapping_at(service.inputs, "spec", "selector")
    selector = [(key, text_at(written, key)) for key in written]
    return [
        pod
        for pod in pods_near(graph, service.namespace)
        if selector and all(field(pod.labels, key) == text or _may_have(pod, key) for key, text in selector)
    ]


def _may_have(pod: PodTemplate, key: str) -> bool:
    """Whether some pods of the template have the label, with values of their own."""
    return pod.resource.kind == GROUP_KIND and key.startswith(OF_GROUPS) and key not in pod.labels
