"""The node labels that a pod asks for, and the pools whose nodes it can land on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import ResourceGraph, Value
from rules.reading.pods.pods import PodTemplate
from rules.reading.pools import Pool, Taint, known_pools
from rules.reading.shapes import Undecided, mapping_at, mappings_at, text_at, texts_at

ARCHITECTURE_LABEL = "kubernetes.io/arch"
_UNKNOWN_BY_NATURE = (
    "kubernetes.io/hostname",
    "nvidia.com/gpu.clique",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
)
"""Labels that nodes carry with a value that no program writes."""


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


def node_selector_terms(spec: Mapping[str, Value]) -> Sequence[Mapping[str, Value]]:
    """The terms of the pod's required node affinity, one of which a node must meet."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    return mappings_at(spec, "affinity", "nodeAffinity", required, "nodeSelectorTerms")


def required_labels(spec: Mapping[str, Value]) -> Sequence[NodeLabel]:
    """Every condition of the pod's node selector and of its required node affinity, all terms together."""
    in_terms = (label for term in node_selector_terms(spec) for label in _of_term(term))
    return (*_selector(spec), *in_terms)


def alternatives(spec: Mapping[str, Value]) -> Sequence[Sequence[NodeLabel]]:
    """Required labels by term: a node must meet all conditions of one term, and those of the selector."""
    selector = tuple(_selector(spec))
    return [(*selector, *_of_term(term)) for term in node_selector_terms(spec)] or [selector]


def selected_pools(graph: ResourceGraph, template: PodTemplate) -> Sequence[Pool]:
    """The pools whose nodes the pod's selector and required node affinity allow; tolerations aside."""
    return [pool for pool in known_pools(graph) if allows(template.spec, pool)]


def allows(spec: Mapping[str, Value], pool: Pool) -> bool:
    """Whether the pod spec's selector and required node affinity allow the pool's nodes."""
    selector = mapping_at(spec, "nodeSelector")
    if not all(_label_in(pool, key, [value]) for key, value in selector.items()):
        return False
    terms = node_selector_terms(spec)
    return not terms or any(
        all(_matches(pool, item) for item in mappings_at(term, "matchExpressions")) for term in terms
    )


def untolerated(spec: Mapping[str, Value], pool: Pool) -> Sequence[str]:
    """The pool's taints that keep the pod off, as `key=value:effect`."""
    if pool.taints is None:
        raise Undecided(f"nothing says which taints pool {pool.name} has")
    hard = [taint for taint in pool.taints if taint.effect != "PreferNoSchedule"]
    return [f"{taint.key}={taint.value}:{taint.effect}" for taint in hard if not tolerated(spec, taint)]


def tolerated(spec: Mapping[str, Value], taint: Taint) -> bool:
    """Whether the pod spec's tolerations match a taint."""
    return any(_tolerates(item, taint) for item in mappings_at(spec, "tolerations"))


def _selector(spec: Mapping[str, Value]) -> Iterator[NodeLabel]:
    for key in mapping_at(spec, "nodeSelector"):
        yield NodeLabel(key, "In", (text_at(spec, "nodeSelector", key),))


def _of_term(term: Mapping[str, Value]) -> Iterator[NodeLabel]:
    for expression in mappings_at(term, "matchExpressions"):
        key, operator = text_at(expression, "key"), text_at(expression, "operator")
        yield NodeLabel(key or "", operator or "", tuple(texts_at(expression, "values")))


def _tolerates(toleration: Mapping[str, Value], taint: Taint) -> bool:
    if text_at(toleration, "effect") not in {None, "", taint.effect}:
        return False
    if text_at(toleration, "operator") == "Exists":
        return text_at(toleration, "key") in {None, "", taint.key}
    return text_at(toleration, "key") == taint.key and (text_at(toleration, "value") or "") == taint.value


def _matches(pool: Pool, expression: Mapping[str, Value]) -> bool:
    key = text_at(expression, "key") or ""
    values = list(texts_at(expression, "values"))
    match text_at(expression, "operator"):
        case "In":
            return _label_in(pool, key, values)
        case "NotIn":
            return key not in pool.labels or not _label_in(pool, key, values)
        case "Exists":
            return key in pool.labels or _may_carry(pool, key)
        case "DoesNotExist":
            return key not in pool.labels
        case operator:
            raise Undecided(f"node affinity with operator {operator} is not followed here")


def _label_in(pool: Pool, key: str, values: Sequence[Value]) -> bool:
    if key in pool.labels:
        if any(not isinstance(value, str) for value in values):
            raise Undecided(f"a value of {key} in the node selection is known only after the update")
        return pool.labels[key] in values
    _may_carry(pool, key)
    raise Undecided(f"nothing says which {key} the nodes of pool {pool.name} carry")


def _may_carry(pool: Pool, key: str) -> bool:
    if key in _UNKNOWN_BY_NATURE:
        return True
    raise Undecided(f"nothing says whether the nodes of pool {pool.name} carry the label {key}")
