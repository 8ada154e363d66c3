"""Which nodes a pod may land on: the labels that it asks for, pools, GPUs, and its place beside others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hardware import ACCELERATORS, Accelerator
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.pods.pod_affinity import REQUIRED, Kind, selector_of, selects, terms
from rules.reading.pods.pods import PodTemplate
from rules.reading.pods.workers import Worker
from rules.reading.pools import PRODUCT_LABEL, Pool, Taint, known_pools, read_node, read_pools
from rules.reading.shapes import (
    Undecided,
    mapping_at,
    mappings_at,
    memoized,
    text_at,
    texts_at,
    whole_number_at,
)

ARCHITECTURE_LABEL = "kubernetes.io/arch"
HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
CLIQUE = "nvidia.com/gpu.clique"
"""`<cluster UUID>.<clique>` of nodes whose GPUs are attached to an NVLink fabric, by feature discovery."""
_UNKNOWN_BY_NATURE = (HOSTNAME, CLIQUE, ZONE, "topology.kubernetes.io/region")
"""Labels that nodes carry with a value that no program writes."""


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """One condition on a node's labels."""

    key: str
    operator: str
    values: tuple[str | None, ...]
    """Values that the condition names; None stands for one that is known only after the update."""

    def __str__(self) -> str:
        values = "|".join(value or "(unknown)" for value in self.values)
        if self.operator == "In":
            return f"{self.key}={values}"
        return f"{self.key} {self.operator} {values}".rstrip()


def node_selector_terms(spec: Mapping[str, Value]) -> Sequence[Mapping[str, Value]]:
    """The terms of the pod's required node affinity, one of which a node must meet."""
    return mappings_at(spec, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms")


def required_labels(spec: Mapping[str, Value]) -> Sequence[NodeLabel]:
    """Every condition of the pod's node selector and of its required node affinity, all terms together."""
    in_terms = (label for term in node_selector_terms(spec) for label in _of_term(term))
    return (*_selector(spec), *in_terms)


def alternatives(spec: Mapping[str, Value]) -> Sequence[Sequence[NodeLabel]]:
    """Required labels by term: a node must meet all conditions of one term, and those of the selector."""
    selector = tuple(_selector(spec))
    return [(*selector, *_of_term(term)) for term in node_selector_terms(spec)] or [selector]


def values_of(labels: Sequence[NodeLabel], key: str) -> frozenset[str | None]:
    """Values that the label may have on a node; empty where nothing is asked."""
    asked = [frozenset(label.values) for label in labels if label.key == key and label.operator == "In"]
    return frozenset[str | None]() if not asked else asked[0].intersection(*asked[1:])


def selected_pools(graph: ResourceGraph, template: PodTemplate) -> Sequence[Pool]:
    """The pools whose nodes the pod's selector and required node affinity allow; tolerations aside."""
    terms_of_pod = alternatives(template.spec)
    return [
        pool
        for pool in known_pools(graph)
        if any(all(_matches(pool, label) for label in term) for term in terms_of_pod)
    ]


def untolerated(spec: Mapping[str, Value], pool: Pool) -> Sequence[str]:
    """The pool's taints that keep the pod off, as `key=value:effect`; none where nobody says which it has."""
    hard = [taint for taint in pool.taints or () if taint.effect != "PreferNoSchedule"]
    return [f"{taint.key}={taint.value}:{taint.effect}" for taint in hard if not tolerated(spec, taint)]


def tolerated(spec: Mapping[str, Value], taint: Taint) -> bool:
    """Whether the pod spec's tolerations match a taint."""
    return any(_tolerates(item, taint) for item in mappings_at(spec, "tolerations"))


def read_placement(graph: ResourceGraph, worker: Worker) -> Pool:
    """The pool that a component says the worker runs in, else the one whose nodes its pod selects."""
    candidates = read_candidates(graph, worker)
    if len(candidates) != 1:
        names = ", ".join(candidate.name for candidate in candidates) or "none"
        raise Undecided(f"its node selection matches not one pool but: {names}")
    return candidates[0]


def read_candidates(graph: ResourceGraph, worker: Worker) -> Sequence[Pool]:
    """Every pool that the worker can run in; none where its node selection allows none of them."""
    entry = _component_entry(graph, worker)
    return selected_pools(graph, worker.template) if entry is None else [entry]


@memoized
def read_landing(graph: ResourceGraph, worker: Worker) -> tuple[Sequence[Accelerator], str]:
    """The accelerators that the worker can land on, and what says so: its pools, else its node selection."""
    if _component_entry(graph, worker) is not None or read_pools(graph):
        pools = read_candidates(graph, worker)
        accelerators = dict.fromkeys(pool.instance_type.accelerator.name for pool in pools)
        names = ", ".join(f"{pool.name} of {pool.instance_type.name}" for pool in pools)
        return [ACCELERATORS[name] for name in accelerators], f"pool {names}"
    products = _allowed_products(worker.template.spec)
    if not products:
        raise Undecided(f"neither a pool nor a node selection on {PRODUCT_LABEL} says which GPU it gets")
    return list(map(_accelerator, products)), f"{PRODUCT_LABEL} {', '.join(products)}"


def nodes_without_fabric(graph: ResourceGraph, worker: Worker) -> Sequence[str]:
    """Accelerators that the worker can land on whose NVLink ends at the node."""
    accelerators, _ = read_landing(graph, worker)
    return [item.name for item in accelerators if not item.host.nvlink_crosses_nodes]


def not_bound(workers: Sequence[Worker], key: str) -> Sequence[Worker]:
    """The workers that nothing makes join the others on nodes with the same value of the label.

    Bound is who selects one value that all select, or has required affinity to the pods of all the others.
    """
    pinned = {_pinned(worker, key) for worker in workers}
    if None not in pinned and len(pinned) == 1:
        return ()
    return [
        worker
        for worker in workers
        if not all(_required(worker, each, "podAffinity", key) for each in workers if each is not worker)
    ]


def kept_apart(one: Worker, other: Worker, key: str) -> bool:
    """Whether required anti-affinity of one of the two keeps their pods on different values of the label."""
    return _required(one, other, "podAntiAffinity", key) or _required(other, one, "podAntiAffinity", key)


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


def _matches(pool: Pool, label: NodeLabel) -> bool:
    key, is_one_of = label.key, label.operator == "In"
    if label.operator not in {"In", "Exists"}:
        raise Undecided(f"node affinity with operator {label.operator} is not followed here")
    if key in pool.labels:
        if is_one_of and None in label.values:
            raise Undecided(f"a value of {key} in the node selection is known only after the update")
        return not is_one_of or pool.labels[key] in label.values
    if key not in _UNKNOWN_BY_NATURE:
        raise Undecided(f"nothing says whether the nodes of pool {pool.name} carry the label {key}")
    if is_one_of:
        raise Undecided(f"nothing says which {key} the nodes of pool {pool.name} carry")
    return True


def _component_entry(graph: ResourceGraph, worker: Worker) -> Pool | None:
    for component in graph.ancestors(worker.resource):
        if "placement" not in component.inputs:
            continue
        entry = _entry(component, worker)
        pool = text_at(entry, "pool")
        if pool is None:
            raise Undecided(f"the placement of {component.name} names no pool for it")
        node, told = read_node(entry), read_pools(graph).get(pool)
        domains = told.nvlink_domains if isinstance(told, Pool) else node.nvlink_domain_gpus
        return Pool(pool, node, whole_number_at(entry, "nodes"), {}, None, domains)
    return None


def _entry(component: Resource, worker: Worker) -> Mapping[str, Value]:
    """Return what the component says of the worker, by its service or by the container of a server."""
    of_service = mapping_at(component.inputs, "placement", worker.template.name)
    return of_service or mapping_at(component.inputs, "placement", text_at(worker.container, "name") or "")


def _accelerator(product: str) -> Accelerator:
    for accelerator in ACCELERATORS.values():
        # Time slicing and MIG append to the label: NVIDIA-B200-SHARED.
        if product == accelerator.product_label or product.startswith(f"{accelerator.product_label}-"):
            return accelerator
    known = ", ".join(sorted(accelerator.product_label for accelerator in ACCELERATORS.values()))
    raise Undecided(f"its node selection names the GPU {product}, which is not one of {known}")


def _allowed_products(pod: Mapping[str, Value]) -> Sequence[str]:
    # Terms are alternatives: one that says nothing about the product allows every product.
    of_terms = [values_of(term, PRODUCT_LABEL) for term in alternatives(pod)]
    if not all(of_terms):
        return []
    products = frozenset[str | None]().union(*of_terms)
    if None in products:
        raise Undecided(f"a value of {PRODUCT_LABEL} is known only after the update")
    return sorted(filter(None, products))


def _pinned(worker: Worker, key: str) -> str | None:
    values = values_of(required_labels(worker.template.spec), key)
    return next(iter(values)) if len(values) == 1 else None


def _required(worker: Worker, other: Worker, kind: Kind, key: str) -> bool:
    return any(
        selects(selector_of(term), other.template) is True
        for is_required, term in terms(worker.template, kind)
        if is_required and text_at(term, "topologyKey") == key
    )
