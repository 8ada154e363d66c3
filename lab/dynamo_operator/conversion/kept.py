"""What one version cannot say and an annotation carries until the object is read in the other again.

The operator's own annotations nvidia.com/dgd-spec and nvidia.com/dcd-spec: on a v1beta1 object they hold
parts of the v1alpha1 spec, on a stored v1alpha1 object parts of the v1beta1 spec.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lab.dynamo_operator.conversion.fields import OF_SERVICE, TWO_PLACES
from lab.dynamo_operator.conversion.native import (
    MAIN,
    containers_of,
    native_resources,
    own_resources,
    without_empty,
)
from lab.dynamo_operator.conversion.services import component_type

if TYPE_CHECKING:
    from lab.controller.api import Manifest


def take(metadata: Manifest, key: str) -> tuple[Manifest, Manifest]:
    """The metadata without the annotation, and the spec that it held: empty where there was none."""
    annotations: dict[str, str] = dict(metadata.get("annotations") or {})
    text = annotations.pop(key, "")
    rest = {name: value for name, value in metadata.items() if name != "annotations"}
    rest |= without_empty({"annotations": annotations})
    try:
        spec: Manifest = json.loads(text)["spec"] if text else {}
    except (ValueError, KeyError, TypeError):
        spec = {}
    return rest, spec


def put(metadata: Manifest, key: str, spec: Manifest) -> Manifest:
    """The metadata with the annotation."""
    text = json.dumps({"version": 1, "spec": spec}, separators=(",", ":"), sort_keys=True)
    return metadata | {"annotations": (metadata.get("annotations") or {}) | {key: text}}


def of_service(service: Manifest, *, comes_from_beta: bool) -> Manifest:
    """What v1beta1 has no place for; {} where it has a place for everything."""
    saved = _without_a_place(service)
    main: Manifest | None = (service.get("extraPodSpec") or {}).get("mainContainer")
    if main is None:
        return saved
    own = {name: main[name] for name in (*TWO_PLACES.values(), "name") if main.get(name)}
    if saved or own or not comes_from_beta:
        saved |= {key: service[key] for key in TWO_PLACES if service.get(key)}
        sources = {"envFrom": main["envFrom"]} if main.get("envFrom") else {}
        if own or sources or any(service.get(key) for key in TWO_PLACES):
            saved["extraPodSpec"] = {"mainContainer": own | sources}
    return saved


def of_component(component: Manifest) -> Manifest:
    """What v1alpha1 has no place for: mounts with all their fields, the names and the order of containers."""
    saved: Manifest = {"name": component["name"]}
    if "podTemplate" in component:
        remembered = [
            {"name": each["name"]}
            | without_empty({"volumeMounts": each.get("volumeMounts") if each["name"] == MAIN else None})
            for each in containers_of(component)
        ]
        saved["podTemplate"] = {"spec": {"containers": remembered}} if remembered else {}
    return saved


def _without_a_place(service: Manifest) -> Manifest:
    saved: Manifest = {key: service[key] for key in OF_SERVICE if service.get(key)}
    if service.get("subComponentType") and component_type(service) != service["subComponentType"]:
        saved["subComponentType"] = service["subComponentType"]
    resources: Manifest = service.get("resources") or {}
    if own_resources(native_resources(resources)) != resources:
        saved["resources"] = resources
    memory: Manifest = service.get("sharedMemory") or {}
    if "sharedMemory" in service and bool(memory.get("disabled")) == bool(memory.get("size")):
        saved["sharedMemory"] = memory
    if "extraPodMetadata" in service and not without_empty(service["extraPodMetadata"] or {}):
        saved["extraPodMetadata"] = service["extraPodMetadata"]
    return saved
