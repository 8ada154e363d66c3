"""The pulumi.com/* annotations by which an object asks for special treatment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SKIP_AWAIT = "pulumi.com/skipAwait"
WAIT_FOR = "pulumi.com/waitFor"
TIMEOUT_SECONDS = "pulumi.com/timeoutSeconds"
DELETION_PROPAGATION = "pulumi.com/deletionPropagationPolicy"
PATCH_FORCE = "pulumi.com/patchForce"
REPLACE_UNREADY = "pulumi.com/replaceUnready"

_PREFIX = "pulumi.com/"
_SERVED = {SKIP_AWAIT, WAIT_FOR, TIMEOUT_SECONDS, DELETION_PROPAGATION, PATCH_FORCE, REPLACE_UNREADY}
_DEFAULT_SECONDS = 600.0
_PROPAGATION = {"orphan": "Orphan", "background": "Background"}


def value(manifest: Mapping[str, Any], name: str) -> str:
    """The annotation's text, empty when it is absent or not yet known."""
    text = _annotations(manifest).get(name)
    return text if isinstance(text, str) else ""


def not_served(manifest: Mapping[str, Any]) -> list[str]:
    """The vendor's annotations that would be passed over here."""
    return sorted(name for name in _annotations(manifest) if name.startswith(_PREFIX) and name not in _SERVED)


def is_true(manifest: Mapping[str, Any], name: str) -> bool:
    """Whether the annotation says "true"."""
    return value(manifest, name) == "true"


def awaited_condition(manifest: Mapping[str, Any]) -> tuple[str, str]:
    """Type and status that pulumi.com/waitFor names. Raises ValueError; paths and lists are not served."""
    text = value(manifest, WAIT_FOR)
    kind, _, rest = text.strip().partition("=")
    name, _, status = rest.partition("=")
    if kind != "condition" or not name:
        raise ValueError(
            f"{WAIT_FOR}: {text!r} is not condition=Type[=Status]; this stand-in serves no other"
        )
    return name, status or "True"


def timeout_seconds(custom: float, manifest: Mapping[str, Any]) -> float:
    """How long to wait: customTimeouts, else pulumi.com/timeoutSeconds, else 10 minutes."""
    text = value(manifest, TIMEOUT_SECONDS)
    return custom or (float(text) if text.isdecimal() else _DEFAULT_SECONDS)


def deletion_propagation(manifest: Mapping[str, Any]) -> str:
    """The propagation policy of a delete; Foreground unless an annotation says otherwise."""
    return _PROPAGATION.get(value(manifest, DELETION_PROPAGATION).lower(), "Foreground")


def _annotations(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = manifest.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}
