"""Affinity of pods to other pods, and which pods of the graph it can mean."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from resource_graph import UNKNOWN, ResourceGraph, Value
from rules.reading.pods.pods import (
    GRAPH_KIND,
    GRAPH_NAME_LABEL,
    OF_GROUPS,
    PodTemplate,
    Unreadable,
    pods_near,
    read_pods,
    readable,
)
from rules.reading.shapes import (
    Undecided,
    known_texts_at,
    mapping_at,
    mappings_at,
    text_at,
    texts_at,
)

ADDED_BY_CONTROLLERS = frozenset(
    {
        "nvidia.com/dynamo-namespace",
        "nvidia.com/selector",
        "nvidia.com/dynamo-worker-hash",
        "nvidia.com/metrics-enabled",
        "nvidia.com/dynamo-discovery-backend",
        "kai.scheduler/queue",
        "pod-template-hash",
        "controller-revision-hash",
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
        "job-name",
        "controller-uid",
        "batch.kubernetes.io/job-name",
        "batch.kubernetes.io/controller-uid",
        *(f"{OF_GROUPS}{name}" for name in ("group-index", "group-key", "template-revision-hash")),
        *(f"{OF_GROUPS}{name}" for name in ("worker-index", "subgroup-index", "subgroup-key")),
    }
)
"""Labels that controllers add to the pods that they make, with values that no manifest holds.

ai-dynamo/dynamo deploy/operator internal/consts at 0367e40; kubernetes-sigs/lws at 2161f38;
https://kubernetes.io/docs/reference/labels-annotations-taints/
"""
Kind = Literal["podAffinity", "podAntiAffinity"]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def equalities(selector: Mapping[str, Value]) -> Mapping[str, Sequence[str]]:
    """Label -> the values that a pod may carry, for every label that the selector pins to some."""
    return {key: values for key, operator, values in _conditions(selector) if operator == "In"}


def selects(selector: Mapping[str, Value], template: PodTemplate) -> bool | None:
    """Whether the selector means the template's pods; None where a label of them is not known."""
    answers = [_meets(template, *condition) for condition in _conditions(selector)]
    if False in answers:
        return False
    return None if None in answers else True


def terms(template: PodTemplate, kind: Kind) -> Iterator[tuple[bool, Mapping[str, Value]]]:
    """All terms of a pod's affinity or anti-affinity, and whether each is required; required ones first."""
    for term in mappings_at(template.spec, "affinity", kind, REQUIRED):
        yield True, term
    for weighted in mappings_at(template.spec, "affinity", kind, _PREFERRED):
        yield False, mapping_at(weighted, "podAffinityTerm")


def selector_of(term: Mapping[str, Value]) -> Mapping[str, Value]:
    """Selector for the labels of the pods that the term means."""
    return mapping_at(term, "labelSelector")


def shown_term(term: Mapping[str, Value]) -> str:
    """The labels that the term asks for, for a message."""
    asked = _conditions(selector_of(term))
    pinned = [f"{key}={'|'.join(values)}" for key, operator, values in asked if operator == "In"]
    return ", ".join(pinned) or "its label selector"


def can_match(graph: ResourceGraph, template: PodTemplate, term: Mapping[str, Value]) -> bool:
    """Whether any pod of the graph, the template's own included, is one that the term means.

    A term that names no Dynamo graph of what was read may mean pods of somebody else's.
    """
    namespaces = _namespaces(template, term)
    near = (
        read_pods(graph) if namespaces is None else (p for each in namespaces for p in pods_near(graph, each))
    )
    answers = {selects(selector_of(term), each) for each in readable(near)}
    if True in answers:
        return True
    if None in answers or any(isinstance(each, Unreadable) for each in read_pods(graph)):
        raise Undecided(f"whether a pod carries {shown_term(term)} is known only after the update")
    names = equalities(selector_of(term)).get(GRAPH_NAME_LABEL)
    if names is None or not all(_is_ours(graph, namespaces, name) for name in names):
        raise Undecided(f"no pod of what was read carries {shown_term(term)}; another manifest's may")
    return False


def _meets(template: PodTemplate, key: str, operator: str | None, values: Sequence[str]) -> bool | None:
    """Whether the pods meet one condition on a label of theirs; None where the label is not known."""
    value = template.labels.get(key)
    has = None if value is None and key in ADDED_BY_CONTROLLERS else key in template.labels
    is_one = None if value is UNKNOWN or has is None else value in values
    answers = {"In": is_one, "NotIn": is_one, "Exists": has, "DoesNotExist": has}
    if operator not in answers:
        raise Undecided(f"a label selector's operator is {operator}")
    answer = answers[operator]
    return None if answer is None else answer is (operator in {"In", "Exists"})


def _conditions(selector: Mapping[str, Value]) -> Iterator[tuple[str, str | None, Sequence[str]]]:
    """Label, operator and values of everything that the selector asks for."""
    for key in mapping_at(selector, "matchLabels"):
        yield key, "In", [text_at(selector, "matchLabels", key) or ""]
    for expression in mappings_at(selector, "matchExpressions"):
        values = known_texts_at(expression, "values", what="a value of a label selector")
        yield text_at(expression, "key") or "", text_at(expression, "operator"), values


def _namespaces(template: PodTemplate, term: Mapping[str, Value]) -> Sequence[Value] | None:
    """Namespaces in which the pods may be; None for every namespace."""
    if term.get("namespaceSelector") is not None:
        return None
    return texts_at(term, "namespaces") or [template.resource.namespace]


def _is_ours(graph: ResourceGraph, namespaces: Sequence[Value] | None, name: str) -> bool:
    """Whether the name is a graph's that was read, or that of such a graph's Service: no graph at all."""
    parts = name.split("-")
    whole = ("-".join(parts[:length]) for length in range(1, len(parts) + 1))
    return any(
        graph.kubernetes_objects_named(GRAPH_KIND, each, place)
        for each in whole
        for place in namespaces or [None]
    )
