"""Diff of an object: what an update would change, and whether it must replace the object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.kubernetes_provider import object_annotations, workload_waits
from lab.kubernetes_provider.check import is_namespaced
from lab.kubernetes_provider.checkpoint import Checkpoint
from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.errors import ProviderError
from lab.kubernetes_provider.forced_replacement import forcing_paths
from lab.kubernetes_provider.normalise import is_typed, normalised
from lab.kubernetes_provider.pruning import pruned
from lab.kubernetes_provider.values import Properties, contains_unknown, plain_map
from lab.provider_service.difference import ResourceDiff

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Manifest
    from lab.kubernetes_provider.session import Session


def diff(
    session: Session, urn: str, old_state: Properties, new: Properties, ignored: list[str]
) -> ResourceDiff:
    """Compares recorded state and new inputs; reads the cluster for replaceUnready alone."""
    recorded, new_inputs = Checkpoint.parse(old_state), normalised(plain_map(new))
    old_inputs = normalised(recorded.inputs)
    old = pruned(recorded.live, old_inputs)
    _align_identity(session, recorded.live, old, new_inputs)
    found = difference(
        old,
        new_inputs,
        forcing_paths(new_inputs),
        old_inputs=old_inputs if is_typed(new_inputs) and not contains_unknown(new_inputs) else None,
        ignored=ignored,
    )
    replaces = found.replaces
    if object_annotations.is_true(new_inputs, object_annotations.REPLACE_UNREADY):
        replaces = replaces + _unready(session, urn, recorded.live, new_inputs)
    return ResourceDiff(found, replaces, bool(replaces) and _keeps_its_name(recorded.live, new_inputs))


def _align_identity(session: Session, live: Manifest, old: Manifest, new: Manifest) -> None:
    namespaced = is_namespaced(session, new)
    for manifest in (old, new):
        metadata = manifest.setdefault("metadata", {})
        if not isinstance(metadata, dict):
            continue
        if namespaced:
            metadata["namespace"] = metadata.get("namespace") or "default"
        else:
            metadata.pop("namespace", None)
    if isinstance(new["metadata"], dict) and new["metadata"].get("name"):
        old["metadata"]["name"] = live["metadata"]["name"]
    for key in ("apiVersion", "kind"):
        old.setdefault(key, new.get(key))


def _unready(session: Session, urn: str, live: Manifest, new_inputs: Manifest) -> list[str]:
    if new_inputs.get("kind") != "Job":
        session.host.warning(urn, "replaceUnready annotation is not supported for this resource")
        return []
    try:
        ready = workload_waits.is_complete(session.cluster.get(live))
    except ProviderError:
        return []
    return [] if ready else [f'.metadata.annotations["{object_annotations.REPLACE_UNREADY}"]']


def _keeps_its_name(live: Manifest, new_inputs: Manifest) -> bool:
    """Whether the old object must go first: two cannot exist at once under one name."""
    metadata, old = new_inputs["metadata"], live["metadata"]
    return isinstance(metadata, dict) and all(
        (metadata.get(key) or "") == (old.get(key) or "") for key in ("name", "namespace")
    )
