"""Pods that others must stand beside exist."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pod_affinity import can_match, terms
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.shapes import text_at


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for term in terms(template, "podAffinity"):
        if term.required and not can_match(graph, template, term):
            place = text_at(term.content, "topologyKey") or "a topology"
            yield failed(
                template.resource,
                template.name,
                f"must run beside a pod with {term} (by {place}), but no pod of the graph carries that, not "
                "even itself",
            )


RULE = Rule(
    id="pod-affinity-can-match",
    title="Pods that others must run beside exist",
    severity=Severity.MANDATORY,
    reason=(
        "A pod with a required affinity waits until a pod with those labels runs; where none ever carries "
        "them it stays Pending for ever."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ (inter-pod affinity); "
        "labels: ai-dynamo/dynamo deploy/operator internal/consts at 0367e40"
    ),
    lines=("Dynamo 1.2",),
    fix=(
        "Write the labels as the operator does: nvidia.com/dynamo-graph-deployment-name is the graph's name, "
        "nvidia.com/dynamo-component-type is frontend, prefill, decode or worker."
    ),
    check=_check,
)
