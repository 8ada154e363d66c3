"""DynamoComponentDeployments in both versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dynamo_operator.conversion import kept
from lab.dynamo_operator.conversion.replicas import of_component, of_service
from lab.dynamo_operator.conversion.shared_to_alpha import lost_by, service_of
from lab.dynamo_operator.conversion.shared_to_beta import component_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.controller.api import Manifest

ANNOTATION = "nvidia.com/dcd-spec"
_FRAMEWORK = "backendFramework"


def to_beta(deployment: Manifest) -> Manifest:
    """The service that it is made of becomes a component."""
    metadata, hub = kept.take(deployment["metadata"], ANNOTATION)
    given: Manifest = deployment.get("spec") or {}
    service = {key: value for key, value in given.items() if key not in {_FRAMEWORK, "serviceName"}}
    spec = component_of(given.get("serviceName") or metadata["name"], service, hub or None)
    saved = kept.of_service(service, comes_from_beta=bool(hub))
    keeps = saved or (not hub and "podTemplate" in spec)
    return (
        deployment
        | {"metadata": kept.put(metadata, ANNOTATION, saved) if keeps else metadata}
        | {"spec": _with_framework(given, spec)}
        | _status(deployment, "service", "component", of_component)
    )


def to_alpha(deployment: Manifest) -> Manifest:
    """The component that it is made of becomes a service."""
    metadata, spoke = kept.take(deployment["metadata"], ANNOTATION)
    has_spoke = ANNOTATION in (deployment["metadata"].get("annotations") or {})
    given: Manifest = deployment.get("spec") or {}
    service = service_of(given, spoke or None)
    keeps = (not has_spoke and "podTemplate" in given) or lost_by(given, service)
    saved = kept.of_component(given) if keeps else {}
    return (
        deployment
        | {"metadata": kept.put(metadata, ANNOTATION, saved) if saved else metadata}
        | {"spec": _with_framework(given, {"serviceName": given["name"]} | service)}
        | _status(deployment, "component", "service", of_service)
    )


def _with_framework(given: Manifest, spec: Manifest) -> Manifest:
    return ({_FRAMEWORK: given[_FRAMEWORK]} if _FRAMEWORK in given else {}) | spec


def _status(deployment: Manifest, old: str, new: str, counts: Callable[[Manifest], Manifest]) -> Manifest:
    if "status" not in deployment:
        return {}
    status = {key: value for key, value in deployment["status"].items() if key != old}
    if old in deployment["status"]:
        status[new] = counts(deployment["status"][old])
    return {"status": status}
