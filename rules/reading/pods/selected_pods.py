"""The pods that a Service selects."""

from collections.abc import Mapping, Sequence

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.memoized import memoized
from rules.reading.pods.pods import (
    GROUP_KIND,
    GROUP_NAME_LABEL,
    OF_GROUPS,
    PodTemplate,
    may_be_one,
    read_pods,
    readable,
)
from rules.reading.shapes import field, grouped, mapping_at, text_at


def selected_pods(graph: ResourceGraph, service: Resource) -> Sequence[PodTemplate]:
    """The pods that a Service selects; none for one without a selector."""
    written = mapping_at(service.inputs, "spec", "selector")
    # What differs from pod to pod finds no template; the other labels do.
    keys = sorted(written, key=lambda key: key.startswith(OF_GROUPS) and key != GROUP_NAME_LABEL)
    selector = [(key, text_at(written, key)) for key in keys]
    candidates = _by_label(graph).get(selector[0], ()) if selector else ()
    return [
        pod
        for pod in candidates
        if may_be_one(service.namespace, pod.resource.namespace)
        and all(field(pod.labels, key) == text or _may_have(pod, key) for key, text in selector)
    ]


def _may_have(pod: PodTemplate, key: str) -> bool:
    """Whether some pods of the template have the label, with values of their own."""
    return pod.resource.kind == GROUP_KIND and key.startswith(OF_GROUPS) and key not in pod.labels


@memoized
def _by_label(graph: ResourceGraph) -> Mapping[tuple[str, Value], Sequence[PodTemplate]]:
    pods = readable(read_pods(graph))
    return grouped((label, pod) for pod in pods for label in pod.labels.items() if isinstance(label[1], str))
