"""Who owns what: the garbage collector deletes an object with its owner, and in the foreground before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.controller.api import Manifest


def owned(owner: Manifest, api_version: str, kind: str, name: str) -> Manifest:
    """An object without content that goes with its owner."""
    metadata = owner["metadata"]
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata.get("uid", ""),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": metadata["namespace"], "ownerReferences": [reference]},
    }


def is_owned_by(manifest: Manifest, uid: str) -> bool:
    """Whether this is an owner of the object."""
    return any(owner["uid"] == uid for owner in manifest["metadata"].get("ownerReferences", []))
