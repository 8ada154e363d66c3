"""Fields of an object: which differ, who owns them, and whether Pulumi takes them back.

Source: pulumi-kubernetes provider/pkg/await/await.go (fixCSAFieldManagers, patchForce), provider/pkg/fluxssa.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from comparison.nested_values import is_mapping
from components.object_owner import PULUMI_MANAGERS, is_pulumi, managed_fields
from operations.drift.report import Outcome
from resource_graph.values import Path, value_at

# Their fields an update takes back without being told to. Names begin so: kubectl-edit, kubectl-patch.
_TAKEN_BACK = (
    ("kubectl", "Apply"),
    ("kubectl", "Update"),
    ("before-first-apply", "Update"),
    *((name, "Update") for name in PULUMI_MANAGERS),
)
# While one of these is on the object, a preview forces: the update would take them over first.
_CREATED_BY = frozenset({*PULUMI_MANAGERS, "pulumi-kubernetes.exe"})


def differing(wanted: object, live: object, path: Path) -> Iterator[tuple[Path, object, object]]:
    """Return each field from this one down that differs, with both values; None: it is not set."""
    if is_mapping(wanted) and is_mapping(live):
        for key in sorted({*wanted, *live}):
            yield from differing(wanted.get(key), live.get(key), (*path, key))
    elif (
        isinstance(wanted, list)
        and isinstance(live, list)
        and len(wanted) == len(live)
        and all(isinstance(item, Mapping) for item in [*wanted, *live])
    ):
        for index, (item, found) in enumerate(zip(wanted, live, strict=True)):
            yield from differing(item, found, (*path, index))
    elif wanted != live:
        yield path, wanted, live


def owners_of(live: Mapping[str, Any], path: Path) -> Sequence[Mapping[str, Any]]:
    """Return the entries of metadata.managedFields that hold the field of the live object."""
    return [entry for entry in managed_fields(live) if _owns(entry.get("fieldsV1") or {}, live, path)]


def outcome_of(live: Mapping[str, Any], owners: Sequence[Mapping[str, Any]]) -> Outcome:
    """Return what `pulumi up --refresh` does about a field that these own now."""
    others = [owner for owner in owners if not is_pulumi(owner["manager"])]
    if not all(map(_is_taken_back, others)):
        return Outcome.REFUSED
    created = any(
        entry["manager"] in _CREATED_BY and entry["operation"] == "Update" for entry in managed_fields(live)
    )
    return Outcome.PREVIEW_STOPS if others and not created else Outcome.REPAIRED


def _is_taken_back(owner: Mapping[str, Any]) -> bool:
    """Whether an update takes the field from this owner without being forced."""
    return not owner.get("subresource") and any(
        owner["manager"].startswith(name) and owner["operation"] == operation
        for name, operation in _TAKEN_BACK
    )


def _owns(fields: Mapping[str, Any], live: Mapping[str, Any], path: Path) -> bool:
    for index, part in enumerate(path):
        if not fields:
            # An atomic map or list is owned whole.
            return True
        key = f"f:{part}" if isinstance(part, str) else _item_key(fields, value_at(live, path[: index + 1]))
        if key is None or key not in fields:
            return False
        fields = fields[key]
    return True


def _item_key(fields: Mapping[str, Any], item: object) -> str | None:
    """Return the key under which an item of a list is owned: k:{"name":"main"} or v:"value"."""
    for key in fields:
        kind, _, text = key.partition(":")
        if kind == "v" and json.loads(text) == item:
            return key
        if kind == "k" and isinstance(item, Mapping):
            wanted = cast("Mapping[str, object]", json.loads(text))
            known = cast("Mapping[str, object]", item)
            if all(known.get(name) == value for name, value in wanted.items()):
                return key
    return None
