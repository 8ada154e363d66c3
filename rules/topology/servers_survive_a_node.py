"""Members of etcd and NATS do not go down together."""

import re
from collections.abc import Iterator, Mapping

from resource_graph import Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.once import once_per_graph
from rules.reading.pods.images import read_image
from rules.reading.pods.label_selectors import selects
from rules.reading.pods.pod_affinity import terms
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.shapes import Undecided, mapping_at, mappings_at, text_at

_SERVER = re.compile(r"(etcd|nats)(-server)?")
_BUDGET = "PodDisruptionBudget"
_Place = tuple[str, tuple[str, str] | None]
_SPREADS_OVER_NODES = frozenset({"kubernetes.io/hostname", "topology.kubernetes.io/zone"})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    if template.resource.kind != "StatefulSet" or not _is_server(template) or template.replicas in {0, 1}:
        return
    members = f"{template.replicas} members"
    if not _is_spread(template):
        yield failed(
            template.resource,
            template.name,
            f"nothing keeps its {members} on different nodes: no topologySpreadConstraints and no "
            "podAntiAffinity by kubernetes.io/hostname select them",
        )
    if not _has_budget(graph, template):
        yield failed(
            template.resource,
            template.name,
            f"no PodDisruptionBudget selects its {members}, so drains of several nodes may take them at once",
        )


def _is_server(template: PodTemplate) -> bool:
    images = [read_image(container) for container in template.containers]
    return any(image is not None and _SERVER.fullmatch(image.name) for image in images)


def _is_spread(template: PodTemplate) -> bool:
    constraints = mappings_at(template.spec, "topologySpreadConstraints")
    chosen = [(item, mapping_at(item, "labelSelector")) for item in constraints]
    chosen += [(term.content, term.selector) for term in terms(template, "podAntiAffinity")]
    return any(
        text_at(item, "topologyKey") in _SPREADS_OVER_NODES and selects(selector, template) is not False
        for item, selector in chosen
    )


def _has_budget(graph: ResourceGraph, template: PodTemplate) -> bool:
    carried = [(key, value) for key, value in template.labels.items() if isinstance(value, str)]
    candidates = [
        budget
        for label in (*carried, None)
        # A manifest may leave the namespace open.
        for namespace in dict.fromkeys((str(template.resource.namespace), str(None)))
        for budget in _budgets(graph).get((namespace, label), ())
    ]
    return any(
        selects(mapping_at(budget.inputs, "spec", "selector"), template) is not False for budget in candidates
    )


@once_per_graph
def _budgets(graph: ResourceGraph) -> Mapping[_Place, list[Resource]]:
    """Budgets by namespace and by the first label that their selector pins, else by none."""
    found: dict[_Place, list[Resource]] = {}
    for budget in graph.kubernetes_objects(_BUDGET):
        found.setdefault((str(budget.namespace), _first_label(budget)), []).append(budget)
    return found


def _first_label(budget: Resource) -> tuple[str, str] | None:
    try:
        labels = mapping_at(budget.inputs, "spec", "selector", "matchLabels")
    except Undecided:
        return None
    for key, value in labels.items():
        if isinstance(value, str):
            return key, value
    return None


RULE = Rule(
    id="servers-survive-a-node",
    title="Members of etcd and NATS survive the loss of a node",
    severity=Severity.ADVISORY,
    reason=(
        "Several members help only where one node does not hold two of them: without a majority of etcd for "
        "ten seconds the workers' leases end, and they end with them."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/; "
        "ai-dynamo/dynamo lib/runtime at d50a02f (lease of 10 s)"
    ),
    lines=("Dynamo 1.2",),
    fix=(
        "Spread them by kubernetes.io/hostname (topologySpreadConstraints), and add a PodDisruptionBudget "
        "with maxUnavailable 1."
    ),
    check=_check,
)
