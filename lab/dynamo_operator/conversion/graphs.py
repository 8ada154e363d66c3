"""DynamoGraphDeployments in both versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.conversion import kept
from lab.dynamo_operator.conversion.replicas import components_status, services_status
from lab.dynamo_operator.conversion.shared_to_alpha import lost_by, service_of
from lab.dynamo_operator.conversion.shared_to_beta import component_of

if TYPE_CHECKING:
    from lab.controller.api import Manifest

ANNOTATION = "nvidia.com/dgd-spec"
_SAME = ("annotations", "backendFramework", "labels", "restart")


def to_beta(graph: Manifest) -> Manifest:
    """Services become components, by name unless v1beta1 wrote them in another order."""
    metadata, hub = kept.take(graph.get("metadata") or {}, ANNOTATION)
    remembered: dict[str, Manifest] = {each["name"]: each for each in hub.get("components") or []}
    given: Manifest = graph.get("spec") or {}
    spec: Manifest = {key: given[key] for key in _SAME if key in given}
    if "envs" in given:
        spec["env"] = given["envs"]
    if "topologyConstraint" in given:
        constraint = dict(given["topologyConstraint"])
        if "topologyProfile" in constraint:
            constraint["clusterTopologyName"] = constraint.pop("topologyProfile")
        spec["topologyConstraint"] = constraint
    services: dict[str, Manifest] = given.get("services") or {}
    order = list(remembered)
    names = sorted(services, key=lambda name: (order.index(name) if name in order else len(order), name))
    if order == sorted(order):
        names = sorted(services)
    if services:
        spec["components"] = [component_of(name, services[name], remembered.get(name)) for name in names]
    saved: Manifest = {"pvcs": given["pvcs"]} if given.get("pvcs") else {}
    of_services = {
        name: left for name in names if (left := kept.of_service(services[name], comes_from_beta=bool(hub)))
    }
    saved |= {"services": of_services} if of_services else {}
    result = graph | _metadata(kept.put(metadata, ANNOTATION, saved) if saved else metadata) | {"spec": spec}
    return result | ({"status": components_status(graph["status"])} if "status" in graph else {})


def to_alpha(graph: Manifest) -> Manifest:
    """Components become services; what services cannot say stays in an annotation."""
    metadata, spoke = kept.take(graph.get("metadata") or {}, ANNOTATION)
    given: Manifest = graph.get("spec") or {}
    spec: Manifest = {key: given[key] for key in _SAME if key in given}
    if "env" in given:
        spec["envs"] = given["env"]
    if "topologyConstraint" in given:
        constraint = dict(given["topologyConstraint"])
        if "clusterTopologyName" in constraint:
            constraint["topologyProfile"] = constraint.pop("clusterTopologyName")
        spec["topologyConstraint"] = constraint
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
        if names != sorted(names)
        or (not spoke and "podTemplate" in each)
        or lost_by(each, spec["services"][each["name"]])
    ]
    with_saved = kept.put(metadata, ANNOTATION, {"components": saved}) if saved else metadata
    result = graph | _metadata(with_saved) | {"spec": spec}
    return result | ({"status": services_status(graph["status"])} if "status" in graph else {})


def _metadata(metadata: Manifest) -> Manifest:
    """No key where there is no metadata: the operator writes none either, and the API server refuses that."""
    return {"metadata": metadata} if metadata else {}
