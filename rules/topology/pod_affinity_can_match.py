"""Pods that others must stand beside exist."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pod_affinity import Term, can_match, can_match_by_older_labels, terms
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.program.operator_line import operator_line
from rules.reading.shapes import text_at

_ONE_TYPE_SINCE = (1, 2)
"""From here on a worker's narrower type is its only one."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for term in terms(template, "podAffinity"):
        if term.required and not can_match(graph, template, term):
            if older_operator_matches(graph, template, term):
                continue
            place = text_at(term.content, "topologyKey") or "a topology"
            yield failed(
                template.resource,
                template.name,
                f"must run beside a pod with {term} (by {place}), but no pod of the graph carries that, not "
                "even itself",
            )


def older_operator_matches(graph: ResourceGraph, template: PodTemplate, term: Term) -> bool:
    """Whether the graph's operator is one whose labels the term means.

    Raises:
        Undecided: nothing says of which release the operator is, and releases differ.
    """
    if not can_match_by_older_labels(graph, template, term):
        return False
    return operator_line(graph, template.resource) < _ONE_TYPE_SINCE


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
        "labels: ai-dynamo/dynamo deploy/operator internal/consts at 0367e40 and d50a02f, and as seen with "
        "the operators of 1.2 and 1.4"
    ),
    lines=("Dynamo 1.1", "Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Write the labels as the operator does: nvidia.com/dynamo-graph-deployment-name is the graph's name, "
        "nvidia.com/dynamo-component-type is frontend, prefill, decode or worker."
    ),
    check=_check,
)
