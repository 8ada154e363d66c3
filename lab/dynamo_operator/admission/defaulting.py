"""What the mutating webhook fills in on create."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.admission.graph_rules import ORIGIN_VERSION
from lab.dynamo_operator.admission.rule import annotations_of, services_of
from lab.dynamo_operator.conversion import is_v1beta1

if TYPE_CHECKING:
    from lab.controller.api import Manifest


def default_patch(graph: Manifest, operator_version: str) -> list[dict[str, Any]]:
    """A JSON patch (RFC 6902): replicas 1 where absent, and which operator version first saw the graph."""
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": f"{path}/replicas", "value": 1}
        for path, component in _components(graph)
        if "replicas" not in component
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


def _components(graph: Manifest) -> list[tuple[str, Manifest]]:
    """Where each component is in the graph, and the component."""
    if is_v1beta1(graph):
        components = graph["spec"].get("components") or []
        return [(f"/spec/components/{index}", each) for index, each in enumerate(components)]
    return [(f"/spec/services/{_escape(name)}", each) for name, each in sorted(services_of(graph).items())]


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
