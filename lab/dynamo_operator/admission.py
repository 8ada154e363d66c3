"""The admission rules of the 1.2 line beyond the schema: what is refused and what is filled in.

Rules: ai-dynamo/dynamo deploy/operator/internal/webhook/{validation,defaulting} at 5bceb1bac (2026-05-13,
the branch cut of 1.2.0). Messages are plain sentences, as in that line; from 1.4 on they are Kubernetes
field errors. The webhooks see every graph as v1alpha1.
"""

from __future__ import annotations

import base64
import json
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.conversion.fields import NotSimulated, demand_simulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.controller.api import Manifest

_FORBIDDEN = 403
ORIGIN_VERSION = "nvidia.com/dynamo-operator-origin-version"
_SEMANTIC_VERSION = r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?"
# Annotations of graphs and of services that have few values, and how the refusal names them.
_VALUES = {
    ORIGIN_VERSION: (_SEMANTIC_VERSION, "a semantic version"),
    "nvidia.com/vllm-distributed-executor-backend": ("(?i:mp|ray)", '"mp" or "ray"'),
    "nvidia.com/dynamo-kube-discovery-mode": ("pod|container", '"pod" or "container"'),
}
_QUANTITY_NUMBER = re.compile(r"^[+-]?[0-9.]+")


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
    yield from _wrong_values("annotations", graph["metadata"].get("annotations"))
    for name, service in sorted(services.items()):
        where = f"spec.services[{name}]"
        yield from _wrong_values(f"{where}.annotations", service.get("annotations"))
        for index, mount in enumerate(service.get("volumeMounts") or []):
            if not mount.get("mountPoint"):
                yield (
                    f"{where}.volumeMounts[{index}].mountPoint is required"
                    " when useAsCompilationCache is false"
                )
        memory = service.get("sharedMemory") or {"disabled": True}
        if not (memory.get("disabled") or _is_positive(memory.get("size", ""))):
            yield f"{where}.sharedMemory.size is required when disabled is false"
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
    for name in sorted(before.keys() & after.keys()):
        if ("multinode" in before[name]) != ("multinode" in after[name]):
            yield (
                f"spec.services[{name}] cannot change node topology between single-node and multi-node"
                " after creation"
            )


def _wrong_values(where: str, annotations: dict[str, str] | None) -> Iterator[str]:
    for key, (pattern, words) in _VALUES.items():
        value = (annotations or {}).get(key)
        if value is not None and not re.fullmatch(pattern, value):
            yield f'{where}[{key}] has invalid value "{value}": must be {words}'


def _services(graph: Manifest) -> dict[str, Manifest]:
    services: dict[str, Manifest] = graph.get("spec", {}).get("services") or {}
    return services


def _is_positive(quantity: object) -> bool:
    """Whether a Kubernetes quantity is above zero; its suffix cannot change that."""
    number = _QUANTITY_NUMBER.match(str(quantity))
    return number is not None and Decimal(number[0]) > 0


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _answer(review: Manifest, response: dict[str, Any]) -> Manifest:
    return {
        "apiVersion": review["apiVersion"],
        "kind": review["kind"],
        "response": {"uid": review["request"]["uid"], **response},
    }
