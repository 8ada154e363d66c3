"""Who owns which field: the provider's own manager, others', and what happens where they meet.

Source: pulumi-kubernetes provider/pkg/await/await.go (ssaUpdate, fixCSAFieldManagers, patchForce) and
provider/pkg/fluxssa, which matches managers by the beginning of their names.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import object_annotations
from lab.kubernetes_provider.errors import ProviderError, StatusError
from lab.provider_service.naming import unique_name

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster

# A create is a plain POST by this manager, so its fields must change hands at the first update.
CREATE_MANAGER = "pulumi-kubernetes"

# Beginnings of names: kubectl calls itself kubectl-edit, kubectl-patch, kubectl-label, …
_TAKEN_OVER = (
    ("kubectl", "Apply"),
    ("kubectl", "Update"),
    ("before-first-apply", "Update"),
    ("pulumi-kubernetes", "Update"),
    ("pulumi-resource-kubernetes", "Update"),
)
_OWN_UPDATE_MANAGERS = frozenset({"pulumi-kubernetes", "pulumi-kubernetes.exe", "pulumi-resource-kubernetes"})

_CONFLICT_HELP = (
    "https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/"
    "managing-resources-with-server-side-apply/#handle-field-conflicts-on-existing-resources"
)

_PATH_PART = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.?([^.\[\]]+)')


class ConflictError(ProviderError):
    """Another manager owns a field that the update would change."""


def manager_of(inputs: dict[str, Any], recorded: str | None) -> str:
    """The manager of server-side apply: the annotation's, the recorded one, a new random one."""
    return (
        object_annotations.value(inputs, object_annotations.PATCH_FIELD_MANAGER)
        or recorded
        or unique_name(CREATE_MANAGER, b"")
    )


def is_forced(inputs: dict[str, Any], live: dict[str, Any] | None, *, always: bool, preview: bool) -> bool:
    """Whether an apply may take fields from others."""
    if object_annotations.is_true(inputs, object_annotations.PATCH_FORCE) or always:
        return True
    if live is None:
        return preview
    managers = live["metadata"].get("managedFields") or []
    if not managers:
        return True
    # In an update these have been taken over before; a preview must not change anything.
    return preview and any(
        entry["manager"] in _OWN_UPDATE_MANAGERS and entry["operation"] == "Update" for entry in managers
    )


def take_over(cluster: Cluster, live: dict[str, Any], manager: str) -> dict[str, Any]:
    """Moves the fields of a POST and of kubectl to `manager`'s Apply, and returns the object."""
    entries = live["metadata"].get("managedFields") or []
    taken = [entry for entry in entries if _is_taken_over(entry)]
    if not taken:
        return live
    own = [entry for entry in entries if entry["manager"] == manager and entry["operation"] == "Apply"]
    first = copy.deepcopy(own[0] if own else taken[0])
    first.update(manager=manager, operation="Apply")
    for entry in taken if own else taken[1:]:
        first["fieldsV1"] = _union(first["fieldsV1"], entry["fieldsV1"])
    rest = [entry for entry in entries if entry not in taken and entry not in own]
    operations = [
        {"op": "replace", "path": "/metadata/managedFields", "value": [first, *rest]},
        # Refused if somebody wrote in between; the next try starts from what they wrote.
        {"op": "replace", "path": "/metadata/resourceVersion", "value": live["metadata"]["resourceVersion"]},
    ]
    return cluster.patch_json(live, operations)


def relinquish(cluster: Cluster, live: dict[str, Any], manager: str) -> None:
    """Gives up every field that a former manager of ours still owns."""
    metadata = {key: live["metadata"][key] for key in ("name", "namespace") if key in live["metadata"]}
    nothing = {"apiVersion": live["apiVersion"], "kind": live["kind"], "metadata": metadata}
    cluster.apply(nothing, field_manager=manager, force=False, dry_run=False)


def apply_ignored(
    inputs: dict[str, Any], live: dict[str, Any], manager: str, ignored: list[str]
) -> dict[str, Any]:
    """The inputs with ignored fields left to their foreign owner, or else at their live value."""
    result = copy.deepcopy(inputs)
    for text in ignored:
        path = _parse_path(text)
        if not path or any(isinstance(part, int) for part in path):
            continue
        if _owned(live, path, lambda name: name != manager) and not _owned(
            live, path, lambda name: name == manager
        ):
            _remove(result, path)
        elif (value := _lookup(live, path)) is not None:
            _set(result, path, value)
    return result


def conflict(error: StatusError, manager: str) -> ProviderError:
    """A conflict with the vendor's explanation; any other refusal as it is."""
    if not error.is_conflict:
        return error
    return ConflictError(
        f"server-side apply field conflict detected, see {_CONFLICT_HELP} for troubleshooting help\n"
        f'The resource managed by field manager "{manager}" had an apply conflict: {error.message}'
    )


def _is_taken_over(entry: dict[str, Any]) -> bool:
    if entry.get("subresource"):
        return False
    manager, operation = entry["manager"], entry["operation"]
    return any(manager.startswith(name) and operation == of for name, of in _TAKEN_OVER)


def _union(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    result = dict(one)
    for key, value in other.items():
        result[key] = _union(result.get(key, {}), value)
    return result


def _owned(live: dict[str, Any], path: list[str | int], is_wanted: Any) -> bool:
    for entry in live["metadata"].get("managedFields") or []:
        fields: Any = entry.get("fieldsV1") or {}
        for part in path:
            fields = fields.get(f"f:{part}") if isinstance(fields, dict) else None
        if fields is not None and is_wanted(entry["manager"]):
            return True
    return False


def _parse_path(text: str) -> list[str | int]:
    return [
        int(index) if index else (quoted or key).replace('\\"', '"')
        for quoted, index, key in _PATH_PART.findall(text)
    ]


def _lookup(manifest: Any, path: list[str | int]) -> Any:
    for part in path:
        manifest = manifest.get(part) if isinstance(manifest, dict) else None
    return manifest


def _set(manifest: dict[str, Any], path: list[str | int], value: Any) -> None:
    for part in path[:-1]:
        manifest = manifest.setdefault(str(part), {})
    manifest[str(path[-1])] = value


def _remove(manifest: dict[str, Any], path: list[str | int]) -> None:
    parent = _lookup(manifest, path[:-1])
    if isinstance(parent, dict):
        parent.pop(str(path[-1]), None)
