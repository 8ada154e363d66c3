"""The pulumi.com/* annotations by which an object asks for special treatment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

AUTONAMED = "pulumi.com/autonamed"
SKIP_AWAIT = "pulumi.com/skipAwait"
WAIT_FOR = "pulumi.com/waitFor"
TIMEOUT_SECONDS = "pulumi.com/timeoutSeconds"
DELETION_PROPAGATION = "pulumi.com/deletionPropagationPolicy"
PATCH_FORCE = "pulumi.com/patchForce"
PATCH_FIELD_MANAGER = "pulumi.com/patchFieldManager"
REPLACE_UNREADY = "pulumi.com/replaceUnready"

_DEFAULT_SECONDS = 600.0


def value(manifest: Mapping[str, Any], name: str) -> str:
    """The annotation's text, empty when it is absent or not yet known."""
    metadata = manifest.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    text = annotations.get(name) if isinstance(annotations, dict) else None
    return text if isinstance(text, str) else ""


def is_true(manifest: Mapping[str, Any], name: str) -> bool:
    """Whether the annotation says "true"."""
    return value(manifest, name) == "true"


def timeout_seconds(custom: float, manifest: Mapping[str, Any]) -> float:
    """How long to wait: customTimeouts, else pulumi.com/timeoutSeconds, else 10 minutes."""
    if custom:
        return custom
    text = value(manifest, TIMEOUT_SECONDS)
    try:
        return float(int(text))
    except ValueError:
        return _DEFAULT_SECONDS


def deletion_propagation(manifest: Mapping[str, Any]) -> str:
    """The propagation policy of a delete; Foreground unless an annotation says otherwise."""
    named = {"orphan": "Orphan", "background": "Background"}
    return named.get(value(manifest, DELETION_PROPAGATION).lower(), "Foreground")
