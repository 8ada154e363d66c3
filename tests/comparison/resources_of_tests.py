"""Small resources, written as a program would declare them, and what a reviewer reads of their changes."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from comparison.field_lines import resource_lines
from comparison.resources import compare
from comparison.verdict_lines import change_words
from resource_graph import Resource
from resource_graph.urns import make_urn

NAMESPACE = "serving"


def kubernetes_object(
    api_version: str,
    kind: str,
    name: str,
    *,
    logical_name: str | None = None,
    parent: str | None = None,
    **content: Any,
) -> Resource:
    """An object in the namespace of the tests."""
    group_version = api_version if "/" in api_version else f"core/{api_version}"
    metadata = {"name": name, "namespace": NAMESPACE, **content.pop("metadata", {})}
    inputs = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}
    return resource(f"kubernetes:{group_version}:{kind}", logical_name or name, inputs, parent=parent)


def resource(resource_type: str, name: str, inputs: dict[str, Any], parent: str | None = None) -> Resource:
    """A resource of any type."""
    urn = make_urn(stack="dev", project="toy", parent=parent, resource_type=resource_type, name=name)
    return Resource(urn=urn, type=resource_type, name=name, inputs=inputs, parent=parent)


def deployment(**pod_spec: Any) -> Resource:
    """A workload with one container, as short as the API server takes it."""
    spec = {"containers": [{"name": "main", "image": "server:1"}], **pod_spec}
    template = {"metadata": {"labels": {"app": "server"}}, "spec": spec}
    selector = {"matchLabels": {"app": "server"}}
    return kubernetes_object(
        "apps/v1", "Deployment", "server", spec={"selector": selector, "template": template}
    )


def with_values(before: Resource, values: Mapping[str, Any]) -> Resource:
    """The resource with other inputs: path, as `spec/ports/0/port`, -> value."""
    inputs: dict[str, Any] = copy.deepcopy(dict(before.inputs))
    for path, value in values.items():
        *parents, last = path.split("/")
        target: Any = inputs
        for part in parents:
            target = target[int(part)] if isinstance(target, list) else target.setdefault(part, {})
        target[int(last) if isinstance(target, list) else last] = value
    return replace(before, inputs=inputs)


def said(base: Iterable[Resource], head: Iterable[Resource]) -> list[str]:
    """What a reviewer reads: what happens to each resource, why, and below it its fields."""
    changes = compare(list(base), list(head))
    return [
        line
        for change in changes
        for line in (f"{change_words(change)}: {change.title}", *resource_lines(change))
    ]


def said_of(before: Resource, values: Mapping[str, Any]) -> list[str]:
    """What is read of the one resource with other values."""
    return said([before], [with_values(before, values)])
