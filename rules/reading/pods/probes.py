"""Ports and probes that the operator gives the main container of a component, and what a manifest changes.

Read in ai-dynamo/dynamo deploy/operator/internal/dynamo: graph.go (GenerateBasePodSpec, mergeContainerByName)
before and at d50a02f, component_worker.go at 54ba91f and component_frontend.go at 132ccbe. Ports of the main
container replace the operator's, and so does each probe of it or of a v1alpha1 service. Before 1.2 a
livenessProbe or readinessProbe of a v1alpha1 main container was merged into the operator's field by field.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from resource_graph import ResourceGraph, Value
from rules.reading.pods.component_types import WORKER_TYPES, declared_type
from rules.reading.pods.frontends import FRONTEND_TYPE
from rules.reading.pods.pods import PodTemplate
from rules.reading.program.operator_line import operator_line
from rules.reading.shapes import field, mapping_at, mappings_at, text_at, whole_number_at

_NETWORK = ("httpGet", "tcpSocket")
HANDLERS = ("httpGet", "exec", "tcpSocket", "grpc")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_MERGED_ONCE = ("livenessProbe", "readinessProbe")
_REPLACES_SINCE = (1, 2)


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


def written_probe(template: PodTemplate, name: str) -> Mapping[str, Value]:
    """The probe that a manifest writes; empty where the operator's, if any, acts alone."""
    return _of_service(template, name) or mapping_at(template.main, name)


def is_merged(graph: ResourceGraph, template: PodTemplate, name: str) -> bool:
    """Whether the operator adds fields of its own to the probe that a manifest writes.

    Raises:
        Undecided: nothing says of which release the operator is.
    """
    if template.shape != "service" or name not in _MERGED_ONCE or _of_service(template, name):
        return False
    return operator_line(graph, template.resource) < _REPLACES_SINCE


def keeps_operators_probes(template: PodTemplate) -> bool:
    """Whether one of the operator's probes still asks its own port."""
    # Not every release gives a frontend a startup probe.
    names = _MERGED_ONCE if declared_type(template) == FRONTEND_TYPE else PROBES
    written = [written_probe(template, name) for name in names]
    return any(not probe or ("httpGet" in probe and probed_port(probe) is None) for probe in written)


def probed_port(probe: Mapping[str, Value]) -> Value:
    """Name or number of the port that a probe asks; None where it asks none."""
    return next((port for kind in _NETWORK if (port := field(probe, kind, "port")) is not None), None)


def _of_service(template: PodTemplate, name: str) -> Mapping[str, Value]:
    return mapping_at(template.described_by, name) if template.shape == "service" else {}
