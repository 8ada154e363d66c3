"""Annotations that mean something to Pulumi alone, and the one that Flux needs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from resource_graph import Value

FLUX_SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"

_PULUMI = "pulumi.com/"
_WHAT_PULUMI_DID = {
    "pulumi.com/waitFor": "Pulumi waits for it before it goes on; whoever applies this must wait",
    "pulumi.com/deletionPropagationPolicy": "Pulumi deletes the object so; kubectl needs --cascade",
    "pulumi.com/skipAwait": "Pulumi does not wait for this object",
    "pulumi.com/timeoutSeconds": "Pulumi waits that long",
    "pulumi.com/patchForce": "Pulumi takes fields over from other managers",
    "pulumi.com/replaceUnready": "Pulumi replaces a Job that failed; otherwise it is deleted by hand first",
}
# Flux replaces ${name}, by nothing where it does not know the name, and $${ is how it writes ${
# (https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution).
_SUBSTITUTED = re.compile(r"\$[${]")


@dataclass(frozen=True, slots=True)
class Adapted:
    """An object as anything but Pulumi applies it."""

    content: Mapping[str, Value]
    notes: tuple[str, ...]
    """What was changed, and what is missing now."""


def adapt(content: Mapping[str, Value]) -> Adapted:
    """Take Pulumi's annotations away, and keep Flux from replacing what looks like its variables."""
    metadata = content.get("metadata")
    fields: Mapping[str, Value] = metadata if isinstance(metadata, Mapping) else {}
    value = fields.get("annotations")
    before: Mapping[str, Value] = value if isinstance(value, Mapping) else {}
    kept = {key: item for key, item in before.items() if not key.startswith(_PULUMI)}
    notes = [_left_out(key, before[key]) for key in sorted(set(before) - set(kept))]
    if _would_be_substituted(content) and FLUX_SUBSTITUTE not in kept:
        kept[FLUX_SUBSTITUTE] = "disabled"
        notes.append(f"has ${{...}} or $$, which Flux would replace: {FLUX_SUBSTITUTE} forbids it")
    if kept == before:
        return Adapted(content, ())
    without = {key: item for key, item in fields.items() if key != "annotations"}
    changed = {**without, "annotations": kept} if kept else without
    return Adapted({**content, "metadata": changed}, tuple(notes))


def _left_out(key: str, value: Value) -> str:
    did = _WHAT_PULUMI_DID.get(key, "means something to Pulumi only")
    return f"left out: {key}: {value} ({did})"


def _would_be_substituted(value: Value) -> bool:
    if isinstance(value, Mapping):
        return any(_SUBSTITUTED.search(key) or _would_be_substituted(item) for key, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(_would_be_substituted(item) for item in value)
    return isinstance(value, str) and _SUBSTITUTED.search(value) is not None
