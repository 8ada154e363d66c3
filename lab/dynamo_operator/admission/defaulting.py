"""What the mutating webhook fills in on create."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.admission.graph_rules import ORIGIN_VERSION
from lab.dynamo_operator.admission.rule import annotations_of, services_of

if TYPE_CHECKING:
    from lab.controller.api import Manifest


def default_patch(graph: Manifest, operator_version: str) -> list[dict[str, Any]]:
    """A JSON patch (RFC 6902): replicas 1 where absent, and which operator version first saw the graph."""
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": f"/spec/services/{_escape(name)}/replicas", "value": 1}
        for name, service in sorted(services_of(graph).items())
        if "replicas" not in service
    ]
    annotations = annotations_of(graph)
    if ORIGIN_VERSION in annotations:
        return patch
    if not annotations:
        patch.append({"op": "add", "path": "/metadata/annotations", "value": {}})
    patch.append(
        {"op": "add", "path": f"/metadata/annotations/{_escape(ORIGIN_VERSION)}", "value": operator_version}
    )
    return patch


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
