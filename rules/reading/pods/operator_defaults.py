"""Ports, probes and rollouts that the operator gives the pods of a component, and what a manifest changes.

Read in ai-dynamo/dynamo deploy/operator/internal/dynamo: graph.go (GenerateBasePodSpec, mergeContainerByName)
before and at d50a02f, component_worker.go at 54ba91f and component_frontend.go at 132ccbe. Ports of the main
container replace the operator's, and so does each probe of it or of a v1alpha1 service.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from resource_graph import Value
from rules.reading.pods.pods import WORKER_TYPES, PodTemplate, declared_type
from rules.reading.pods.workers import FRONTEND_TYPE
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, text_at, whole_number_at

_NETWORK = ("httpGet", "tcpSocket")
HANDLERS = ("httpGet", "exec", "tcpSocket", "grpc")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_OF_EVERY_RELEASE = ("livenessProbe", "readinessProbe")
_STRATEGY = "nvidia.com/deployment-strategy"
_SURGE = "nvidia.com/deployment-rolling-update-max-surge"
_UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"
_GROVE = "nvidia.com/enable-grove"
_DEFAULT_SHARE = "25%"
_PODS_OR_PERCENTAGE = re.compile(r"[0-9]{1,9}%?")


@dataclass(frozen=True, slots=True)
class OperatorPort:
    """A port that probes and the Service of a component look up by its name."""

    name: str
    number: int


_SYSTEM = OperatorPort("system", 9090)
_HTTP = OperatorPort("http", 8000)
_GIVEN = {"http": frozenset({"http"}), "system": frozenset({"system", "nixl"})}
"""Port that the operator probes -> names of the ports that it gives such a container without its own."""


def operator_port(template: PodTemplate) -> OperatorPort | None:
    """The port that the operator probes; None for a template that is no frontend or worker of a graph."""
    if template.shape == "workload":
        return None
    declared = declared_type(template)
    if declared == FRONTEND_TYPE:
        return _HTTP
    return _SYSTEM if declared in WORKER_TYPES else None


def declared_ports(container: Mapping[str, Value]) -> Mapping[str, int]:
    """Name -> number of each port that a container declares."""
    return {
        text_at(port, "name") or "": whole_number_at(port, "containerPort") or 0
        for port in mappings_at(container, "ports")
    }


def pod_ports(template: PodTemplate) -> Mapping[str, int]:
    """Name -> number of each port that any container of the pod declares."""
    return {name: number for each in template.all_containers for name, number in declared_ports(each).items()}


def own_ports(template: PodTemplate) -> Mapping[str, int]:
    """Name -> number of each port that the main container declares."""
    return declared_ports(template.main)


def port_names(template: PodTemplate) -> Collection[str]:
    """Names of the main container's ports: its own, which replace the operator's."""
    port = operator_port(template)
    return own_ports(template) or (() if port is None else _GIVEN[port.name])


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


@dataclass(frozen=True, slots=True)
class Rollout:
    """A rolling update, in whole pods."""

    surge: int
    """Number of new pods that may run beside all old ones."""
    unavailable: int
    """Number of old pods that may go before new ones are ready."""
    source: str
    is_explicit: bool
    """Whether a person or Kubernetes' own default says how many may be unavailable. Of the operator's
    default the sources contradict each other."""


def read_rollout(template: PodTemplate) -> Rollout | None:
    """The rolling update of a Deployment, or of a service that the operator makes a Deployment of.

    None where old pods go first, or nothing is rolled.
    """
    if template.resource.kind == "Deployment":
        return _rollout_of_deployment(template)
    if template.shape == "workload" or template.pods_per_replica > 1:
        return None
    return _rollout_of_service(template)


def pod_annotations(template: PodTemplate) -> Mapping[str, Value]:
    """The annotations on the pod template of a graph's service or component."""
    if template.shape == "service":
        return mapping_at(template.described_by, "extraPodMetadata", "annotations")
    return mapping_at(template.described_by, "podTemplate", "metadata", "annotations")


def _rollout_of_deployment(template: PodTemplate) -> Rollout | None:
    strategy = mapping_at(template.described_by, "strategy")
    if text_at(strategy, "type") == "Recreate":
        return None
    given = mapping_at(strategy, "rollingUpdate")
    surge = _pods(given.get("maxSurge", _DEFAULT_SHARE), template.replicas, up=True)
    unavailable = _pods(given.get("maxUnavailable", _DEFAULT_SHARE), template.replicas, up=False)
    source = "spec.strategy" if "maxUnavailable" in given else "Kubernetes' default"
    # kubernetes/kubernetes pkg/controller/deployment/util: both rounded to zero is one unavailable.
    return Rollout(surge, unavailable or int(not surge), source, is_explicit=True)


def _rollout_of_service(template: PodTemplate) -> Rollout | None:
    annotations = _annotations(template)
    # Under Grove one old pod goes first, and the annotations have no effect.
    if text_at(annotations, _STRATEGY) == "Recreate" or text_at(annotations, _GROVE) == "true":
        return None
    surge = _pods(text_at(annotations, _SURGE) or _DEFAULT_SHARE, template.replicas, up=True)
    explicit = text_at(annotations, _UNAVAILABLE)
    unavailable = _pods(explicit or _DEFAULT_SHARE, template.replicas, up=False)
    source = "the operator's default" if explicit is None else _UNAVAILABLE
    return Rollout(surge or int(not unavailable), unavailable, source, is_explicit=explicit is not None)


def _annotations(template: PodTemplate) -> Mapping[str, Value]:
    own = pod_annotations(template)
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
