"""What an Ingress, a route or an autoscaler points at: a Service and its port, or a workload."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from resource_graph.values import Path
from rules.model import Observation, advised, failed
from rules.reading.objects.definitions import built_in_kinds, group_of
from rules.reading.pods.pods import may_be_one
from rules.reading.shapes import field, mapping_at, mappings_at, text_at

ENTRANCES = ("Ingress", "Route", "HTTPRoute")
_SERVICE = "Service"
_ROUTE_GROUP = "route.openshift.io"
_OF_AN_ANNOTATION = "use-annotation"
"""Port of a backend that an annotation describes (AWS load balancer controller, ingress annotations)."""
_SCALED = ("Deployment", "StatefulSet", "ReplicaSet", "LeaderWorkerSet")
"""Kinds whose replicas an autoscaler of this file may set."""
_CORE_GROUPS = frozenset({"apps", "leaderworkerset.x-k8s.io"})


@dataclass(frozen=True, slots=True)
class _Backend:
    """Where an entrance leads to."""

    service: str
    namespace: Value
    port: int | str | None
    """None where the entrance names none, or one that is no Service's."""
    name_at: Path
    port_at: Path


def judge_entrance(graph: ResourceGraph, resource: Resource) -> Iterator[Observation]:
    """Backends that are no Service of what was read, or a port that the Service does not have."""
    for backend in _backends(resource):
        services = graph.kubernetes_objects_named(_SERVICE, backend.service, backend.namespace)
        if not services:
            yield from _missing_service(graph, resource, backend)
        elif backend.port is not None and not any(_has_port(resource, each, backend) for each in services):
            has = ", ".join(dict.fromkeys(port for each in services for port in _shown_ports(each)))
            said = f"leads to port {backend.port} of Service {backend.service}, which has {has}"
            # A Service that leaves its namespace to whoever applies it may not be the one that is meant.
            is_meant = any(each.namespace == backend.namespace for each in services)
            see = failed if is_meant else advised
            yield see(resource, resource.name, f"{said}: no request reaches a pod", backend.port_at)


def judge_autoscaler(graph: ResourceGraph, resource: Resource) -> Iterator[Observation]:
    """A target that nothing of the file is, where the file has workloads."""
    target = mapping_at(resource.inputs, "spec", "scaleTargetRef")
    kind = text_at(target, "kind")
    name = text_at(target, "name")
    if kind not in _SCALED or name is None:
        return
    if graph.kubernetes_objects_named(kind, name, resource.namespace):
        return
    beside = [each for scaled in _SCALED for each in _beside(graph, resource, scaled)]
    named = [each for each in beside if each.object_name == name]
    alike = slip_of(name, [each.name for each in beside if each.kind == kind], SLIPS)
    near = named or [each for each in beside if each.kind == kind and each.name == alike]
    # An operator makes workloads of its own, under names that only it knows.
    meant = near or ([] if _has_operators(graph, resource) else beside)
    if meant:
        made = ", ".join(f"{each.kind} {each.name}" for each in meant)
        said = f"scales {kind} {name}; what was read makes {made} and no {kind} {name}, so nothing is scaled"
        yield advised(resource, resource.name, said, ("spec", "scaleTargetRef", "name"))


def _missing_service(graph: ResourceGraph, resource: Resource, backend: _Backend) -> Iterator[Observation]:
    beside = [each.name for each in _beside(graph, resource, _SERVICE)]
    meant = slip_of(backend.service, beside, SLIPS)
    if meant is None and len(beside) == 1 and not _has_operators(graph, resource):
        meant = beside[0]
    if meant is not None:
        said = f"leads to Service {backend.service}; what was read makes {meant} and no {backend.service}"
        yield advised(resource, resource.name, said, backend.name_at)


def _backends(resource: Resource) -> Iterator[_Backend]:
    if resource.kind == "Ingress":
        yield from _of_ingress(resource)
    elif resource.kind == "HTTPRoute":
        yield from _of_http_route(resource)
    elif group_of(resource) == _ROUTE_GROUP:
        name = text_at(resource.inputs, "spec", "to", "name")
        if name is not None and text_at(resource.inputs, "spec", "to", "kind") in {None, _SERVICE}:
            port = _port(field(resource.inputs, "spec", "port", "targetPort"))
            at = ("spec", "port", "targetPort")
            yield _Backend(name, resource.namespace, port, ("spec", "to", "name"), at)


def _of_ingress(resource: Resource) -> Iterator[_Backend]:
    spec = mapping_at(resource.inputs, "spec")
    found: list[tuple[Path, Mapping[str, Value]]] = [
        (("defaultBackend",), mapping_at(spec, "defaultBackend"))
    ]
    for number, rule in enumerate(mappings_at(spec, "rules")):
        for index, path in enumerate(mappings_at(rule, "http", "paths")):
            at = ("rules", number, "http", "paths", index, "backend")
            found.append((at, mapping_at(path, "backend")))
    for at, backend in found:
        name = text_at(backend, "service", "name")
        port = mapping_at(backend, "service", "port")
        if name is not None and text_at(port, "name") != _OF_AN_ANNOTATION:
            key = "name" if port.get("name") else "number"
            place = ("spec", *at, "service")
            yield _Backend(
                name, resource.namespace, _port(port.get(key)), (*place, "name"), (*place, "port", key)
            )


def _of_http_route(resource: Resource) -> Iterator[_Backend]:
    for number, rule in enumerate(mappings_at(resource.inputs, "spec", "rules")):
        for index, backend in enumerate(mappings_at(rule, "backendRefs")):
            name = text_at(backend, "name")
            at = ("spec", "rules", number, "backendRefs", index)
            if name is not None and text_at(backend, "kind") in {None, _SERVICE}:
                namespace = text_at(backend, "namespace") or resource.namespace
                yield _Backend(name, namespace, _port(backend.get("port")), (*at, "name"), (*at, "port"))


def _port(value: Value) -> int | str | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def _has_port(entrance: Resource, service: Resource, backend: _Backend) -> bool:
    """Whether the Service has the port, or may have it."""
    ports = mappings_at(service.inputs, "spec", "ports")
    # A patch of a Service selects nothing, and has some of its ports.
    is_whole = bool(mapping_at(service.inputs, "spec", "selector"))
    if not ports or not is_whole or text_at(service.inputs, "spec", "type") == "ExternalName":
        return True
    keys = ("name", "port")
    if entrance.kind == "Route":
        # A Route names a port of the endpoints: by the Service's name for it, or by the pods' number.
        keys = ("name", "port", "targetPort")
        if isinstance(backend.port, int) and any(isinstance(port.get("targetPort"), str) for port in ports):
            return True
    return any(str(field(port, key)) == str(backend.port) for port in ports for key in keys)


def _shown_ports(service: Resource) -> Iterator[str]:
    for port in mappings_at(service.inputs, "spec", "ports"):
        name = text_at(port, "name")
        yield f"{port.get('port')} ({name})" if name else str(port.get("port"))


def _beside(graph: ResourceGraph, resource: Resource, kind: str) -> Sequence[Resource]:
    """Objects of the kind in the same file and namespace; none in a program, whose charts make others."""
    return [
        each
        for each in graph.kubernetes_objects(kind)
        if resource.origin is not None
        and each.origin is not None
        and each.origin.file == resource.origin.file
        and may_be_one(each.namespace, resource.namespace)
    ]


def _has_operators(graph: ResourceGraph, resource: Resource) -> bool:
    """Whether the file has objects of which an operator makes further Services and workloads."""
    known = built_in_kinds().keys() | {group_of(resource)} | _CORE_GROUPS
    return any(group_of(each) not in known for each in graph.kubernetes_objects())
