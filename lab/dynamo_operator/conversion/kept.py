"""What one version cannot say and an annotation carries until the object is read in the other again.

The operator's own annotations nvidia.com/dgd-spec and nvidia.com/dcd-spec: on a v1beta1 object they hold
parts of the v1alpha1 spec, on a stored v1alpha1 object parts of the v1beta1 spec.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lab.dynamo_operator.conversion.fields import TWO_PLACES
from lab.dynamo_operator.conversion.native import MAIN, containers_of, without_empty

if TYPE_CHECKING:
    from lab.controller.api import Manifest


def take(metadata: Manifest, key: str) -> tuple[Manifest, Manifest]:
    """The metadata without the annotation, and the spec that it held: empty where there was none."""
    annotations: dict[str, str] = dict(metadata.get("annotations") or {})
    text = annotations.pop(key, "")
    rest = {name: value for name, value in metadata.items() if name != "annotations"}
    rest |= without_empty({"annotations": annotations})
    spec: Manifest = json.loads(text)["spec"] if text else {}
    return rest, spec


def put(metadata: Manifest, key: str, spec: Manifest) -> Manifest:
    """The metadata with the annotation."""
    text = json.dumps({"version": 1, "spec": spec}, separators=(",", ":"), sort_keys=True)
    return metadata | {"annotations": (metadata.get("annotations") or {}) | {key: text}}


def of_service(service: Manifest, *, comes_from_beta: bool) -> Manifest:
    """What v1beta1 has no place for; {} where it has a place for everything."""
    saved: Manifest = without_empty({"annotations": service.get("annotations")})
    main: Manifest | None = (service.get("extraPodSpec") or {}).get("mainContainer")
    if main is None:
        return saved
    own = {name: main[name] for name in (*TWO_PLACES.values(), "name") if main.get(name)}
    if saved or own or not comes_from_beta:
        saved |= {key: service[key] for key in TWO_PLACES if service.get(key)}
        if own or any(service.get(key) for key in TWO_PLACES):
            saved["extraPodSpec"] = {"mainContainer": own}
    return saved


def of_component(component: Manifest) -> Manifest:
    """What v1alpha1 has no place for: mounts with all their fields, the names and the order of containers."""
    remembered = [
        {"name": each["name"]}
        | without_empty({"volumeMounts": each.get("volumeMounts") if each["name"] == MAIN else None})
        for each in containers_of(component)
    ]
    return {"name": component["name"], "podTemplate": {"spec": {"containers": remembered}}}
