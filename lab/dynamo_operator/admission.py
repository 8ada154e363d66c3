"""The admission rules of the 1.2 line beyond the schema: what is refused and what is filled in.

Rules: ai-dynamo/dynamo deploy/operator/internal/webhook/{validation,defaulting} at 5bceb1bac (2026-05-13,
the branch cut of 1.2.0). Messages are plain sentences, as in that line; from 1.4 on they are Kubernetes
field errors. The webhooks see every graph as v1alpha1.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.conversion.fields import NotSimulated, demand_simulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.controller.api import Manifest

_FORBIDDEN = 403
ORIGIN_VERSION = "nvidia.com/dynamo-operator-origin-version"


def validate(review: Manifest) -> Manifest:
    """The answer of the validating webhook."""
    request = review["request"]
    graph = request["object"]
    # An object that is being deleted only loses its finalizers; the rules would keep it alive.
    broken = () if graph["metadata"].get("deletionTimestamp") else _broken(graph, request.get("oldObject"))
    for why in broken:
        return _answer(review, {"allowed": False, "status": {"message": why, "code": _FORBIDDEN}})
    return _answer(review, {"allowed": True})


def mutate(review: Manifest, operator_version: str) -> Manifest:
    """The answer of the mutating webhook: replicas 1 where absent, and which operator first saw the graph."""
    graph = review["request"]["object"]
    annotations = graph["metadata"].get("annotations") or {}
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": f"/spec/services/{_escape(name)}/replicas", "value": 1}
        for name, service in sorted(_services(graph).items())
        if "replicas" not in service
    ]
    if not annotations:
        patch.append({"op": "add", "path": "/metadata/annotations", "value": {}})
    if ORIGIN_VERSION not in annotations:
        path = f"/metadata/annotations/{_escape(ORIGIN_VERSION)}"
        patch.append({"op": "add", "path": path, "value": operator_version})
    if not patch:
        return _answer(review, {"allowed": True})
    encoded = base64.b64encode(json.dumps(patch).encode()).decode()
    return _answer(review, {"allowed": True, "patchType": "JSONPatch", "patch": encoded})


def pass_unseen(review: Manifest) -> Manifest:
    """The answer for component deployments, which only the operator writes: their rules are not simulated."""
    return _answer(review, {"allowed": True})


def _broken(graph: Manifest, old: Manifest | None) -> Iterator[str]:
    """What is wrong with the graph; the first of it is said."""
    services = _services(graph)
    if not services:
        yield "spec.services must have at least one service"
    try:
        demand_simulated(graph["spec"])
    except NotSimulated as error:
        yield str(error)
    for name, service in sorted(services.items()):
        where = f"spec.services[{name}]"
        for index, mount in enumerate(service.get("volumeMounts") or []):
            if not mount.get("mountPoint"):
                yield (
                    f"{where}.volumeMounts[{index}].mountPoint is required"
                    " when useAsCompilationCache is false"
                )
    if old is not None:
        yield from _changed(old, graph)


def _changed(old: Manifest, new: Manifest) -> Iterator[str]:
    """What an update may not change."""
    if old["spec"].get("backendFramework") != new["spec"].get("backendFramework"):
        yield "spec.backendFramework is immutable and cannot be changed after creation"
    before, after = _services(old), _services(new)
    changes = {"added": after.keys() - before.keys(), "removed": before.keys() - after.keys()}
    said = [f"{verb}: [{', '.join(sorted(names))}]" for verb, names in changes.items() if names]
    if said:
        yield (
            "service topology is immutable and cannot be modified after creation: services " + ", ".join(said)
        )


def _services(graph: Manifest) -> dict[str, Manifest]:
    services: dict[str, Manifest] = graph.get("spec", {}).get("services") or {}
    return services


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _answer(review: Manifest, response: dict[str, Any]) -> Manifest:
    return {
        "apiVersion": review["apiVersion"],
        "kind": review["kind"],
        "response": {"uid": review["request"]["uid"], **response},
    }
