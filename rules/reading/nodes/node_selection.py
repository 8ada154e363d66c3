"""The node labels that a pod asks for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Value
from rules.reading.shapes import mapping_at, mappings_at, text_at, texts_at

ARCHITECTURE_LABEL = "kubernetes.io/arch"


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """One condition on a node's labels."""

    key: str
    operator: str
    values: tuple[str | None, ...]
    """None for one that is known only after the update."""

    def __str__(self) -> str:
        values = "|".join(value or "(unknown)" for value in self.values)
        if self.operator == "In":
            return f"{self.key}={values}"
        return f"{self.key} {self.operator} {values}".rstrip()


def required_labels(spec: Mapping[str, Value]) -> Sequence[NodeLabel]:
    """Every condition of the pod's node selector and of its required node affinity, all terms together.

    Raises:
        Undecided: they are unknown or of another shape.
    """
    return tuple(_required(spec))


def alternatives(spec: Mapping[str, Value]) -> Sequence[Sequence[NodeLabel]]:
    """Required labels by term: a node must meet all conditions of one term, and those of the selector.

    Raises:
        Undecided: they are unknown or of another shape.
    """
    selector = tuple(_selector(spec))
    return [(*selector, *_of_term(term)) for term in _terms(spec)] or [selector]


def _required(spec: Mapping[str, Value]) -> Iterator[NodeLabel]:
    yield from _selector(spec)
    for term in _terms(spec):
        yield from _of_term(term)


def _selector(spec: Mapping[str, Value]) -> Iterator[NodeLabel]:
    for key in mapping_at(spec, "nodeSelector"):
        yield NodeLabel(key, "In", (text_at(spec, "nodeSelector", key),))


def _terms(spec: Mapping[str, Value]) -> Sequence[Mapping[str, Value]]:
    return mappings_at(
        spec,
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    )


def _of_term(term: Mapping[str, Value]) -> Iterator[NodeLabel]:
    for expression in mappings_at(term, "matchExpressions"):
        key, operator = text_at(expression, "key"), text_at(expression, "operator")
        yield NodeLabel(key or "", operator or "", tuple(texts_at(expression, "values")))
