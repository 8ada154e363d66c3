"""A probe of a graph's container asks in one way only."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.probes import HANDLERS, PROBES, is_merged, operator_port, written_probe


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_pods(graph, lambda template: _check_template(graph, template))


def _check_template(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    for name in PROBES:
        probe = written_probe(template, name)
        handlers = [handler for handler in HANDLERS if probe.get(handler) is not None]
        if len(handlers) > 1:
            message = f"{name} of the main container has {' and '.join(handlers)}: two handlers"
            yield failed(template.resource, template.name, message)
        elif handlers and handlers[0] != HANDLERS[0]:
            port = operator_port(template)
            if port is not None and is_merged(graph, template, name):
                yield failed(
                    template.resource,
                    template.name,
                    f"{name} of the main container has {handlers[0]}, and an operator before 1.2 adds its "
                    f"httpGet on port {port.name}: two handlers",
                )


RULE = Rule(
    id="one-probe-handler",
    title="A probe of a graph's container asks in one way only",
    severity=Severity.MANDATORY,
    reason=(
        "The API server refuses the pod: may not specify more than 1 handler type. An operator before 1.2 "
        "merges its own httpGet into a livenessProbe or readinessProbe of the main container; later ones "
        "leave the probe as it is written."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go (GenerateBasePodSpec, "
        "mergeContainerByName) before and at d50a02f"
    ),
    lines=("Dynamo 1.1", "Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Leave one handler; before 1.2 put the whole probe at the service's livenessProbe or readinessProbe, "
        "beside extraPodSpec, which replaces the operator's."
    ),
    check=_check,
)
