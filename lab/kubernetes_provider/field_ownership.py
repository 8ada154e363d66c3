"""Who owns which field: the provider's own manager, others', and what happens where they meet.

Source: pulumi-kubernetes provider/pkg/await/await.go (ssaUpdate, fixCSAFieldManagers, patchForce) and
provider/pkg/fluxssa, which matches managers by the beginning of their names.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import object_annotations
from lab.kubernetes_provider.errors import ProviderError, StatusError
from lab.provider_service.naming import unique_name

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Cluster, Manifest
    from lab.kubernetes_provider.session import Session

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


def new_manager() -> str:
    """A manager of server-side apply for one object."""
    return unique_name(CREATE_MANAGER, b"")


def apply(
    session: Session, inputs: Manifest, live: Manifest | None, manager: str, *, preview: bool
) -> Manifest:
    """Server-side apply. Raises ProviderError, with the vendor's explanation where fields are another's."""
    force = is_forced(inputs, live, always=session.has("enablePatchForce"), preview=preview)
    try:
        return session.cluster.apply(inputs, field_manager=manager, force=force, dry_run=preview)
    except StatusError as error:
        if not error.is_conflict:
            raise
        raise ProviderError(
            f"server-side apply field conflict detected, see {_CONFLICT_HELP} for troubleshooting help\n"
            f'The resource managed by field manager "{manager}" had an apply conflict: {error}'
        ) from error


def is_forced(inputs: Manifest, live: Manifest | None, *, always: bool, preview: bool) -> bool:
    """Whether an apply may take fields from others."""
    if object_annotations.is_true(inputs, object_annotations.PATCH_FORCE) or always:
        return True
    if live is None:
        return preview
    managers = live["metadata"].get("managedFields") or []
    # In an update these have been taken over before; a preview must not change anything.
    return not managers or (
        preview
        and any(
            entry["manager"] in _OWN_UPDATE_MANAGERS and entry["operation"] == "Update" for entry in managers
        )
    )


def take_over(cluster: Cluster, live: Manifest, manager: str) -> Manifest:
    """Moves the fields of a POST and of kubectl to `manager`'s Apply, and returns the object."""
    entries = live["metadata"].get("managedFields") or []
    taken = [entry for entry in entries if _is_taken_over(entry)]
    if not taken:
        return live
    own = [entry for entry in entries if entry["manager"] == manager and entry["operation"] == "Apply"]
    first = {**(own or taken)[0], "manager": manager, "operation": "Apply"}
    for entry in taken:
        first["fieldsV1"] = _union(first["fieldsV1"], entry["fieldsV1"])
    rest = [entry for entry in entries if entry not in taken and entry not in own]
    operations = [
        {"op": "replace", "path": "/metadata/managedFields", "value": [first, *rest]},
        # Refused if somebody wrote in between; the next try starts from what they wrote.
        {"op": "replace", "path": "/metadata/resourceVersion", "value": live["metadata"]["resourceVersion"]},
    ]
    return cluster.patch_json(live, operations)


def apply_ignored(inputs: Manifest, live: Manifest, manager: str, ignored: list[str]) -> Manifest:
    """The inputs with ignored fields left to their foreign owner, or else at their live value.

    Paths into lists or with quoted keys are passed over.
    """
    result = copy.deepcopy(inputs)
    for path in (text.split(".") for text in ignored if "[" not in text):
        owners = _owners(live, path)
        *parents, last = path
        if owners and manager not in owners:
            parent = _lookup(result, parents)
            if isinstance(parent, dict):
                parent.pop(last, None)
        elif (value := _lookup(live, path)) is not None:
            target = result
            for part in parents:
                target = target.setdefault(part, {})
            target[last] = value
    return result


def _is_taken_over(entry: Manifest) -> bool:
    manager, operation = entry["manager"], entry["operation"]
    return not entry.get("subresource") and any(
        manager.startswith(name) and operation == of for name, of in _TAKEN_OVER
    )


def _union(one: Manifest, other: Manifest) -> Manifest:
    return {**one, **{key: _union(one.get(key, {}), value) for key, value in other.items()}}


def _owners(live: Manifest, path: list[str]) -> set[str]:
    fields = [f"f:{part}" for part in path]
    entries = live["metadata"].get("managedFields") or []
    return {entry["manager"] for entry in entries if _lookup(entry.get("fieldsV1"), fields) is not None}


def _lookup(manifest: Any, path: list[str]) -> Any:
    for part in path:
        manifest = manifest.get(part) if isinstance(manifest, dict) else None
    return manifest
