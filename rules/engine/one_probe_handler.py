"""A probe of a graph's container asks in one way only."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.probes import HANDLERS, MERGED_PROBES, merged_probe, operator_port


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, _check_template)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    port = operator_port(template)
    if port is None:
        return
    for name in MERGED_PROBES:
        probe = merged_probe(template, name)
        other = [handler for handler in HANDLERS[1:] if probe.get(handler) is not None]
        if other:
            yield failed(
                template.resource,
                template.name,
                f"{name} of the main container has {other[0]}, and the operator adds its httpGet on port "
                f"{port.name}: two handlers",
            )


RULE = Rule(
    id="one-probe-handler",
    title="A probe of a graph's container asks in one way only",
    severity=Severity.MANDATORY,
    reason=(
        "The operator merges its own httpGet into the probe, and the API server refuses the pod: may not "
        "specify more than 1 handler type."
    ),
    source="ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go (GenerateBasePodSpec)",
    lines=("Dynamo 1.2",),
    fix=(
        "Leave the operator's probe; or put the whole probe at the service's livenessProbe or "
        "readinessProbe, beside extraPodSpec, which replaces it."
    ),
    check=_check,
)
