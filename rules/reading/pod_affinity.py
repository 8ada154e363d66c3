"""Affinity of pods to other pods, and which pods of the graph it can mean."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from resource_graph import ResourceGraph, Value
from rules.reading.label_selectors import equalities, selects
from rules.reading.once import once_per_graph
from rules.reading.pods import GRAPH_KIND, GRAPH_NAME_LABEL, PodTemplate, Unreadable, read_pods
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, texts_at

Kind = Literal["podAffinity", "podAntiAffinity"]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a pod's affinity or anti-affinity."""

    required: bool
    content: Mapping[str, Value]

    @property
    def selector(self) -> Mapping[str, Value]:
        """The labels of the pods that it means."""
        return mapping_at(self.content, "labelSelector")

    def __str__(self) -> str:
        pinned = [f"{key}={'|'.join(values)}" for key, values in equalities(self.selector).items()]
        return ", ".join(pinned) or "its label selector"


@dataclass(frozen=True, slots=True)
class PodIndex:
    """All pod templates by the labels that they carry."""

    by_label: Mapping[tuple[str, str], Sequence[PodTemplate]]
    uncertain: Sequence[PodTemplate]
    """Those with a label whose value is not known."""
    graphs: frozenset[tuple[Value, str]]
    """Namespace and name of every Dynamo graph."""
    unreadable: bool
    """Whether there are pods that cannot be read."""


def terms(template: PodTemplate, kind: Kind) -> Iterator[Term]:
    """All terms, required ones first.

    Raises:
        Undecided: they are unknown or of another shape.
    """
    for term in mappings_at(template.spec, "affinity", kind, _REQUIRED):
        yield Term(True, term)
    for weighted in mappings_at(template.spec, "affinity", kind, _PREFERRED):
        yield Term(False, mapping_at(weighted, "podAffinityTerm"))


def can_match(graph: ResourceGraph, template: PodTemplate, term: Term) -> bool:
    """Whether any pod of the graph, the template's own included, is one that the term means.

    A term that names no Dynamo graph of what was read may mean pods of somebody else's.

    Raises:
        Undecided: it cannot be told.
    """
    index = read_pod_index(graph)
    namespaces = _namespaces(template, term)
    pinned = equalities(term.selector)
    answers: set[bool | None] = set()
    for candidate in _candidates(index, pinned):
        if _may_be_in(namespaces, candidate.resource.namespace):
            answers.add(selects(term.selector, candidate))
            if True in answers:
                return True
    if None in answers or index.unreadable:
        raise Undecided(f"whether a pod carries {term} is known only after the update")
    names = pinned.get(GRAPH_NAME_LABEL)
    if names is None or not all(_is_ours(index, namespaces, name) for name in names):
        raise Undecided(f"no pod of what was read carries {term}; another manifest's may")
    return False


@once_per_graph
def read_pod_index(graph: ResourceGraph) -> PodIndex:
    """The index of all pods."""
    by_label: dict[tuple[str, str], list[PodTemplate]] = {}
    uncertain: list[PodTemplate] = []
    unreadable = False
    for template in read_pods(graph):
        if isinstance(template, Unreadable):
            unreadable = True
            continue
        for key, value in template.labels.items():
            if isinstance(value, str):
                by_label.setdefault((key, value), []).append(template)
        if not all(isinstance(value, str) for value in template.labels.values()):
            uncertain.append(template)
    graphs = frozenset(
        (item.namespace if isinstance(item.namespace, str) else None, item.object_name)
        for item in graph.kubernetes_objects(GRAPH_KIND)
        if isinstance(item.object_name, str)
    )
    return PodIndex(by_label, uncertain, graphs, unreadable)


def _candidates(index: PodIndex, pinned: Mapping[str, Sequence[str]]) -> Iterable[PodTemplate]:
    if not pinned:
        raise Undecided("its label selector pins no label, so it means pods that are not told of here")
    choices = [
        [template for value in values for template in index.by_label.get((key, value), ())]
        for key, values in pinned.items()
    ]
    return [*min(choices, key=len), *index.uncertain]


def _namespaces(template: PodTemplate, term: Term) -> Sequence[Value] | None:
    """Where the pods may be; None for everywhere."""
    selector = field(term.content, "namespaceSelector")
    if selector is not None:
        return None
    names = texts_at(term.content, "namespaces")
    return names or [template.resource.namespace]


def _may_be_in(namespaces: Sequence[Value] | None, namespace: Value) -> bool:
    if namespaces is None or not isinstance(namespace, str):
        return True
    return any(not isinstance(name, str) or name == namespace for name in namespaces)


def _is_ours(index: PodIndex, namespaces: Sequence[Value] | None, name: str) -> bool:
    """Whether the name is a graph's that was read, or that of such a graph's Service: no graph at all."""
    return any(
        (name == known or name.startswith(f"{known}-")) and _may_be_in(namespaces, namespace)
        for namespace, known in index.graphs
    )
