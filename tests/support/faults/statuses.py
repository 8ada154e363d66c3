"""Statuses that a lever writes in place of a kubelet or a controller."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.sandbox import Sandbox


def patch_status(lab: Sandbox, kind: str, item: dict[str, Any], status: dict[str, Any]) -> None:
    """Writes these fields of the object's status, as a kubelet or a controller does."""
    metadata = item["metadata"]
    where = ("-n", metadata["namespace"]) if "namespace" in metadata else ()
    change = ("--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
    lab.kubectl("patch", kind, metadata["name"], *where, *change)
