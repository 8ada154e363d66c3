"""Parts of objects that several stand-ins write: times, conditions, events, finalizers."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.controller.api import KubernetesApi, Manifest


def now() -> str:
    """This moment as Kubernetes writes one: RFC 3339 in UTC, in seconds."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def dated(condition: Manifest, before: Mapping[str, Any], moment: str) -> Manifest:
    """The condition with the time of its last change: that of the status `before` where nothing changed."""
    for known in before.get("conditions") or ():
        if (known["type"], known["status"]) == (condition["type"], condition["status"]):
            return condition | {"lastTransitionTime": known.get("lastTransitionTime") or moment}
    return condition | {"lastTransitionTime": moment}


def event(about: Manifest, reason: str, message: str, component: str) -> Manifest:
    """A warning about an object, one for each."""
    metadata = about["metadata"]
    named = {key: metadata[key] for key in ("name", "namespace", "uid")}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{metadata['name']}.{metadata['uid']}", "namespace": metadata["namespace"]},
        "involvedObject": {"apiVersion": about["apiVersion"], "kind": about["kind"], **named},
        "type": "Warning",
        "reason": reason,
        "message": message,
        "source": {"component": component},
    }


async def set_finalizer(api: KubernetesApi, manifest: Manifest, finalizer: str, *, held: bool) -> Manifest:
    """The object with the finalizer, or without it; ApiError 409 where it has changed since it was read."""
    finalizers: list[str] = manifest["metadata"].get("finalizers", [])
    if (finalizer in finalizers) == held:
        return manifest
    changed = [*finalizers, finalizer] if held else [each for each in finalizers if each != finalizer]
    version = manifest["metadata"]["resourceVersion"]
    return await api.merge_patch(manifest, {"metadata": {"finalizers": changed, "resourceVersion": version}})
