"""Whole graphs and component deployments in both versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.conversion import kept
from lab.dynamo_operator.conversion.fields import OF_GRAPH, demand_simulated
from lab.dynamo_operator.conversion.services import component_of, lost_by, service_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lab.controller.api import Manifest

    _Translation = Callable[[Manifest], Manifest]

OF_GRAPHS = "nvidia.com/dgd-spec"
OF_DEPLOYMENTS = "nvidia.com/dcd-spec"
_FRAMEWORK = "backendFramework"


def graph_to_beta(graph: Manifest) -> Manifest:
    """Services become components, by name unless v1beta1 wrote them in another order."""
    metadata, hub = kept.take(graph.get("metadata") or {}, OF_GRAPHS)
    remembered: dict[str, Manifest] = {each["name"]: each for each in hub.get("components") or []}
    given: Manifest = graph.get("spec") or {}
    services: dict[str, Manifest] = given.get("services") or {}
    order, names = list(remembered), sorted(services)
    if order != sorted(order):
        names.sort(key=lambda name: order.index(name) if name in order else len(order))
    spec: Manifest = {new: given[old] for old, new in OF_GRAPH.items() if old in given}
    if services:
        spec["components"] = [component_of(name, services[name], remembered.get(name)) for name in names]
    saved: Manifest = {"pvcs": given["pvcs"]} if given.get("pvcs") else {}
    left = {name: kept.of_service(services[name], comes_from_beta=bool(hub)) for name in names}
    if any(left.values()):
        saved["services"] = {name: each for name, each in left.items() if each}
    status = _graph_status(graph, "services", "components", _of_component)
    return graph | _metadata(metadata, OF_GRAPHS, saved) | {"spec": spec} | status


def graph_to_alpha(graph: Manifest) -> Manifest:
    """Components become services; what services cannot say stays in an annotation."""
    metadata, spoke = kept.take(graph.get("metadata") or {}, OF_GRAPHS)
    given: Manifest = graph.get("spec") or {}
    demand_simulated(given)
    spec: Manifest = {old: given[new] for old, new in OF_GRAPH.items() if new in given}
    components: list[Manifest] = given.get("components") or []
    known: dict[str, Manifest] = spoke.get("services") or {}
    if components:
        spec["services"] = {each["name"]: service_of(each, known.get(each["name"])) for each in components}
    if spoke.get("pvcs"):
        spec["pvcs"] = spoke["pvcs"]
    names = [each["name"] for each in components]
    saved = [
        kept.of_component(each)
        for each in components
        if names != sorted(names) or not spoke or lost_by(each, spec["services"][each["name"]])
    ]
    with_saved = _metadata(metadata, OF_GRAPHS, {"components": saved} if saved else {})
    status = _graph_status(graph, "components", "services", _of_service)
    return graph | with_saved | {"spec": spec} | status


def deployment_to_beta(deployment: Manifest) -> Manifest:
    """The service that it is made of becomes a component."""
    metadata, hub = kept.take(deployment["metadata"], OF_DEPLOYMENTS)
    given: Manifest = deployment.get("spec") or {}
    service = {key: value for key, value in given.items() if key not in {_FRAMEWORK, "serviceName"}}
    spec = component_of(given.get("serviceName") or metadata["name"], service, hub or None)
    saved = kept.of_service(service, comes_from_beta=bool(hub))
    if saved or not hub:
        metadata = kept.put(metadata, OF_DEPLOYMENTS, saved)
    status = _status(deployment, {"service": ("component", _of_component)})
    return deployment | {"metadata": metadata, "spec": _framework(given) | spec} | status


def deployment_to_alpha(deployment: Manifest) -> Manifest:
    """The component that it is made of becomes a service."""
    metadata, spoke = kept.take(deployment["metadata"], OF_DEPLOYMENTS)
    given: Manifest = deployment.get("spec") or {}
    service = service_of(given, spoke or None)
    if not spoke or lost_by(given, service):
        metadata = kept.put(metadata, OF_DEPLOYMENTS, kept.of_component(given))
    spec = _framework(given) | {"serviceName": given["name"]} | service
    status = _status(deployment, {"component": ("service", _of_service)})
    return deployment | {"metadata": metadata, "spec": spec} | status


def _metadata(metadata: Manifest, key: str, saved: Manifest) -> Manifest:
    """No key where there is no metadata: the operator writes none either, and the API server refuses that."""
    metadata = kept.put(metadata, key, saved) if saved else metadata
    return {"metadata": metadata} if metadata else {}


def _framework(given: Manifest) -> Manifest:
    return {_FRAMEWORK: given[_FRAMEWORK]} if _FRAMEWORK in given else {}


def _of_component(counts: Manifest) -> Manifest:
    """v1beta1 has no componentName beside the list of names."""
    return {key: value for key, value in counts.items() if key != "componentName"}


def _of_service(counts: Manifest) -> Manifest:
    """v1alpha1 names the last of them once more."""
    names: list[str] = counts.get("componentNames") or []
    return counts | ({"componentName": names[-1]} if names else {})


def _graph_status(graph: Manifest, old: str, new: str, count: _Translation) -> Manifest:
    updated = {f"updated{old.capitalize()}": f"updated{new.capitalize()}"}
    return _status(
        graph,
        {
            old: (new, lambda counts: {name: count(each) for name, each in counts.items()}),
            "rollingUpdate": (
                "rollingUpdate",
                lambda update: {updated.get(key, key): value for key, value in update.items()},
            ),
        },
    )


def _status(manifest: Manifest, fields: Mapping[str, tuple[str, _Translation]]) -> Manifest:
    """The status with these fields by the other version's name, translated."""
    if "status" not in manifest:
        return {}
    status: Manifest = dict(manifest["status"])
    for old, (new, translate) in fields.items():
        if old in status:
            status[new] = translate(status.pop(old))
    return {"status": status}
