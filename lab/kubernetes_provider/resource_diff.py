"""Diff of an object: what an update would change, and whether it must replace the object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import await_job, object_annotations
from lab.kubernetes_provider.check import is_namespaced
from lab.kubernetes_provider.checkpoint import Checkpoint
from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.errors import NoMatchError, StatusError, UnreachableError
from lab.kubernetes_provider.forced_replacement import forcing_paths
from lab.kubernetes_provider.normalise import is_typed, normalised
from lab.kubernetes_provider.pruning import pruned
from lab.kubernetes_provider.values import Properties, contains_unknown, plain_map
from lab.provider_service.difference import ResourceDiff

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session


def diff(
    session: Session, urn: str, old_state: Properties, new: Properties, ignored: list[str]
) -> ResourceDiff:
    """Compares recorded state and new inputs; reads the cluster for replaceUnready alone."""
    recorded = Checkpoint.parse(old_state)
    raw_inputs, new_inputs = plain_map(new), normalised(plain_map(new))
    old_inputs = normalised(recorded.inputs)
    old = pruned(recorded.live, old_inputs)
    _align_identity(session, recorded.live, old, new_inputs)
    found = difference(
        old,
        new_inputs,
        forcing_paths(
            new_inputs,
            config_map_mutable=session.settings.enable_config_map_mutable,
            secret_mutable=session.settings.enable_secret_mutable,
        ),
        old_inputs=old_inputs if is_typed(new_inputs) and not contains_unknown(new_inputs) else None,
        ignored=ignored,
    )
    replaces = found.replaces
    if object_annotations.is_true(new_inputs, object_annotations.REPLACE_UNREADY):
        replaces = replaces + _unready(session, urn, recorded.live, new_inputs)
    return ResourceDiff(found, replaces, _deletes_first(replaces, recorded.live, new_inputs, raw_inputs))


def _align_identity(session: Session, live: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> None:
    namespaced = is_namespaced(session, new)
    for manifest in (old, new):
        metadata = manifest.setdefault("metadata", {})
        if not isinstance(metadata, dict):
            continue
        if namespaced:
            metadata["namespace"] = metadata.get("namespace") or "default"
        else:
            metadata.pop("namespace", None)
        metadata.pop("resourceVersion", None)
    new_metadata = new["metadata"]
    if isinstance(new_metadata, dict) and new_metadata.get("name"):
        old["metadata"]["name"] = live["metadata"]["name"]
    for key in ("apiVersion", "kind"):
        old.setdefault(key, new.get(key))


def _unready(session: Session, urn: str, live: dict[str, Any], new_inputs: dict[str, Any]) -> list[str]:
    if session.connected is None:
        session.host.warning(urn, "Cluster is unreachable, skipping replaceUnready check")
        return []
    if new_inputs.get("kind") != "Job":
        session.host.warning(urn, "replaceUnready annotation is not supported for this resource")
        return []
    try:
        ready = await_job.is_complete(session.connected.get(live))
    except (StatusError, NoMatchError, UnreachableError):
        return []
    return [] if ready else [f'.metadata.annotations["{object_annotations.REPLACE_UNREADY}"]']


def _deletes_first(
    replaces: list[str], live: dict[str, Any], new_inputs: dict[str, Any], raw_inputs: dict[str, Any]
) -> bool:
    """Only where the new object must have the old one's name: two cannot exist at once then."""
    metadata, given = new_inputs.get("metadata"), raw_inputs.get("metadata")
    if not replaces or not isinstance(metadata, dict) or not isinstance(given, dict):
        return False
    old = live["metadata"]
    return (
        bool(given.get("name"))
        and not object_annotations.is_true(new_inputs, object_annotations.AUTONAMED)
        and metadata.get("name") == old.get("name")
        and (metadata.get("namespace") or "") == (old.get("namespace") or "")
    )
