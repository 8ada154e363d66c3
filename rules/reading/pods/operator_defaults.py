"""Ports, probes and rollouts that the operator gives the pods of a component, and what a manifest changes.

Read in ai-dynamo/dynamo deploy/operator/internal/dynamo: graph.go (GenerateBasePodSpec, mergeContainerByName)
before and at d50a02f, component_worker.go at 54ba91f and component_frontend.go at 132ccbe. Ports of the main
container replace the operator's, and so does each probe of it or of a v1alpha1 service.
"""

import re
from collections.abc import Collection, Mapping

from resource_graph import Value
from rules.reading.pods.pods import WORKER_TYPES, PodTemplate, declared_type
from rules.reading.pods.workers import FRONTEND_TYPE
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, text_at, whole_number_at

_NETWORK = ("httpGet", "tcpSocket")
HANDLERS = ("httpGet", "exec", "tcpSocket", "grpc")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
PROBE_TIMES = ("initialDelaySeconds", "periodSeconds", "failureThreshold")
_OF_EVERY_RELEASE = ("livenessProbe", "readinessProbe")
_STRATEGY = "nvidia.com/deployment-strategy"
_SURGE = "nvidia.com/deployment-rolling-update-max-surge"
_UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"
_GROVE = "nvidia.com/enable-grove"
_DEFAULT_SHARE = "25%"
OPERATORS_DEFAULT = "the operator's default"
"""Of it the sources contradict each other."""
_PODS_OR_PERCENTAGE = re.compile(r"[0-9]{1,9}%?")


OPERATORS_PORTS: Mapping[str, int] = {"http": 8000, "system": 9090}
"""Ports that probes and the Service of a component look up by their names."""
_GIVEN = {"http": frozenset({"http"}), "system": frozenset({"system", "nixl"})}
"""Port that the operator probes -> names of the ports that it gives such a container without its own."""


def operator_port(template: PodTemplate) -> str | None:
    """Name of the port that the operator probes; None for what is no frontend or worker of a graph."""
    if template.shape == "workload":
        return None
    declared = declared_type(template)
    if declared == FRONTEND_TYPE:
        return "http"
    return "system" if declared in WORKER_TYPES else None


def declared_ports(container: Mapping[str, Value]) -> Mapping[str, int]:
    """Name -> number of each port that a container declares."""
    return {
        text_at(port, "name") or "": whole_number_at(port, "containerPort") or 0
        for port in mappings_at(container, "ports")
    }


def pod_ports(template: PodTemplate) -> Mapping[str, int]:
    """Name -> number of each port that any container of the pod declares."""
    return {name: number for each in template.all_containers for name, number in declared_ports(each).items()}


def port_names(template: PodTemplate) -> Collection[str]:
    """Names of the main container's ports: its own, which replace the operator's."""
    port = operator_port(template)
    return declared_ports(template.main) or (() if port is None else _GIVEN[port])


def written_probe(template: PodTemplate, name: str) -> Mapping[str, Value]:
    """The probe that a manifest writes; empty where the operator's, if any, acts alone."""
    if template.shape == "service" and (probe := mapping_at(template.described_by, name)):
        return probe
    return mapping_at(template.main, name)


def keeps_operators_probes(template: PodTemplate) -> bool:
    """Whether one of the operator's probes still asks its own port."""
    # Not every release gives a frontend a startup probe.
    names = _OF_EVERY_RELEASE if declared_type(template) == FRONTEND_TYPE else PROBES
    written = [written_probe(template, name) for name in names]
    return any(not probe or ("httpGet" in probe and probed_port(probe) is None) for probe in written)


def probed_port(probe: Mapping[str, Value]) -> Value:
    """Name or number of the port that a probe asks; None for a probe that asks no port."""
    return next((port for kind in _NETWORK if (port := field(probe, kind, "port")) is not None), None)


def read_surge(template: PodTemplate) -> tuple[int, str] | None:
    """How many new pods a rolling update starts before an old one may go, and what says so.

    It is of a Deployment, or of a service that the operator makes a Deployment of. None where old pods go
    first, or nothing is rolled.
    """
    if template.resource.kind == "Deployment":
        return _surge_of_deployment(template)
    if template.shape == "workload" or template.pods_per_replica > 1:
        return None
    return _surge_of_service(template)


def _surge_of_deployment(template: PodTemplate) -> tuple[int, str] | None:
    strategy = mapping_at(template.described_by, "strategy")
    if text_at(strategy, "type") == "Recreate":
        return None
    given = mapping_at(strategy, "rollingUpdate")
    surge = _pods(given.get("maxSurge", _DEFAULT_SHARE), template.replicas, up=True)
    unavailable = _pods(given.get("maxUnavailable", _DEFAULT_SHARE), template.replicas, up=False)
    source = "spec.strategy" if "maxUnavailable" in given else "Kubernetes' default"
    # kubernetes/kubernetes pkg/controller/deployment/util: both rounded to zero is one unavailable.
    return (surge, source) if surge and not unavailable else None


def _surge_of_service(template: PodTemplate) -> tuple[int, str] | None:
    annotations = _annotations(template)
    # Under Grove one old pod goes first, and the annotations have no effect.
    if text_at(annotations, _STRATEGY) == "Recreate" or text_at(annotations, _GROVE) == "true":
        return None
    surge = _pods(text_at(annotations, _SURGE) or _DEFAULT_SHARE, template.replicas, up=True)
    explicit = text_at(annotations, _UNAVAILABLE)
    unavailable = _pods(explicit or _DEFAULT_SHARE, template.replicas, up=False)
    source = OPERATORS_DEFAULT if explicit is None else _UNAVAILABLE
    return None if unavailable else (surge or 1, source)


def _annotations(template: PodTemplate) -> Mapping[str, Value]:
    place = ("extraPodMetadata",) if template.shape == "service" else ("podTemplate", "metadata")
    own = mapping_at(template.described_by, *place, "annotations")
    if template.shape == "service":
        own = {**mapping_at(template.described_by, "annotations"), **own}
    on_graph = mapping_at(template.resource.metadata, "annotations")
    grove = {key: value for key, value in on_graph.items() if key == _GROVE}
    return {**grove, **mapping_at(template.graph_spec, "annotations"), **own}


def _pods(value: Value, replicas: int, *, up: bool) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _PODS_OR_PERCENTAGE.fullmatch(value):
        number = int(value.removesuffix("%"))
        if not value.endswith("%"):
            return number
        return -(-number * replicas // 100) if up else number * replicas // 100
    raise Undecided(f"a rollout's surge or unavailability is {value!r}, not a number or a percentage")
