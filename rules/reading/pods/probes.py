"""Ports and probes that the operator gives the main container of a component, and what a manifest changes.

Read in ai-dynamo/dynamo deploy/operator/internal/dynamo: graph.go (GenerateBasePodSpec), component_worker.go
at 54ba91f and component_frontend.go at 132ccbe. Ports of the main container replace the operator's, a
livenessProbe or readinessProbe of it is merged into the operator's field by field, a startupProbe replaces
it, and so do the probes of a v1alpha1 service.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from resource_graph import Value
from rules.reading.pods.component_types import WORKER_TYPES, declared_type
from rules.reading.pods.frontends import FRONTEND_TYPE
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import field, mapping_at, mappings_at, text_at, whole_number_at

HANDLERS = ("httpGet", "exec", "tcpSocket", "grpc")
MERGED_PROBES = ("livenessProbe", "readinessProbe")


@dataclass(frozen=True, slots=True)
class OperatorPort:
    """A port that probes and the Service of a component look up by its name."""

    name: str
    number: int


_SYSTEM = OperatorPort("system", 9090)
_HTTP = OperatorPort("http", 8000)


def operator_port(template: PodTemplate) -> OperatorPort | None:
    """The port that the operator probes; None for what is no frontend or worker of a graph."""
    if template.shape == "workload":
        return None
    declared = declared_type(template)
    if declared == FRONTEND_TYPE:
        return _HTTP
    return _SYSTEM if declared in WORKER_TYPES else None


def own_ports(template: PodTemplate) -> Mapping[str, int]:
    """Ports that the main container declares: name -> number."""
    return {
        text_at(port, "name") or "": whole_number_at(port, "containerPort") or 0
        for port in mappings_at(template.main, "ports")
    }


def own_probe(template: PodTemplate, name: str) -> Mapping[str, Value]:
    """What replaces the operator's probe as a whole; empty where nothing does."""
    if template.shape != "service":
        return {}
    return mapping_at(template.described_by, name)


def merged_probe(template: PodTemplate, name: str) -> Mapping[str, Value]:
    """What is merged into the operator's probe; empty where nothing is."""
    return {} if own_probe(template, name) else mapping_at(template.main, name)


def keeps_operators_probes(template: PodTemplate) -> bool:
    """Whether one of the operator's probes still asks its own port."""
    for name in MERGED_PROBES:
        own = own_probe(template, name) or merged_probe(template, name)
        port = field(own, "httpGet", "port") if "httpGet" in own else None
        if port is None and not own_probe(template, name):
            return True
    return False
