"""Small resources, written as a program would declare them, and what became of them in plain words."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from comparison.resources import compare
from resource_graph import Resource
from resource_graph.urns import make_urn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from comparison.changes import FieldChange, ResourceChange

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


def with_inputs(before: Resource, change: Callable[[dict[str, Any]], object]) -> Resource:
    """The resource with inputs that `change` has changed in place."""
    inputs: dict[str, Any] = copy.deepcopy(dict(before.inputs))
    change(inputs)
    return replace(before, inputs=inputs)


def changed(before: Resource, change: Callable[[dict[str, Any]], object]) -> ResourceChange:
    """What becomes of the one resource whose inputs are changed."""
    (found,) = compare([before], [with_inputs(before, change)])
    return found


def no_change(before: Resource, change: Callable[[dict[str, Any]], object]) -> bool:
    """Whether the changed inputs are the same to the API server."""
    after = with_inputs(before, change)
    return compare([before], [after]) == () and compare([after], [before]) == ()


def said(fields: Iterable[FieldChange]) -> list[str]:
    """The fields as a person would read them."""
    return [f"{_path(each)}: {each.before!r} -> {each.after!r}" for each in fields]


def effects(change: ResourceChange) -> dict[str, str]:
    """Field -> what follows."""
    return {_path(each): each.effect.value for each in change.fields}


def _path(each: FieldChange) -> str:
    return " ".join(map(str, each.path))
