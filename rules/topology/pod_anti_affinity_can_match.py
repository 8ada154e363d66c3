"""Pods that others must keep away from exist."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pod_affinity import can_match, terms
from rules.reading.pods.pods import GRAPH_NAME_LABEL, PodTemplate, check_pods
from rules.topology.pod_affinity_can_match import older_operator_matches


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for term in terms(template, "podAntiAffinity"):
        if can_match(graph, template, term) or older_operator_matches(graph, template, term):
            continue
        own = template.labels.get(GRAPH_NAME_LABEL)
        label = f"; its own {GRAPH_NAME_LABEL} is {own}" if isinstance(own, str) else ""
        yield failed(
            template.resource,
            template.name,
            f"keeps away from pods with {term}, which no pod of the graph carries{label}",
        )


RULE = Rule(
    id="pod-anti-affinity-can-match",
    title="Pods that others keep away from exist",
    severity=Severity.ADVISORY,
    reason="An anti-affinity to labels that no pod carries has no effect: the pods may share a node.",
    source=(
        "ai-dynamo/dynamo deploy/operator internal/consts at 0367e40 (the label is the graph's name, not the "
        "name of its frontend Service)"
    ),
    lines=("Dynamo 1.1", "Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Select by nvidia.com/dynamo-graph-deployment-name with the graph's name, and by "
        "nvidia.com/dynamo-component-type where only some of its pods are meant."
    ),
    check=_check,
)
