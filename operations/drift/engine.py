"""From the engine's answer to the changes: `pulumi refresh --preview-only --json`, which changes nothing."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from operations.drift.changes import HIDDEN, Change, Outcome, without_doubles
from operations.drift.field_managers import outcome_of, owners_of
from operations.drift.paths import MISSING, Path, lookup, parse_path

_KUBERNETES = "kubernetes:"
_RELEASE = "kubernetes:helm.sh/v3:Release"
_SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - the name of a type
_CLAIM = "PersistentVolumeClaim"
_GRAPH = "DynamoGraphDeployment"
# pulumi/pulumi pkg/resource/deploy/step.go, RefreshStep.
_UNHEALTHY = "Refreshed resource is in an unhealthy state"

Step = Mapping[str, Any]
Steps = Sequence[Step]


def changes_seen(steps: Steps, failed: frozenset[str] = frozenset()) -> tuple[Change, ...]:
    """Return what differs from the state; the engine's own order changes from run to run.

    Args:
        steps: as the engine lists them.
        failed: URNs whose last create or update failed.

    """
    found = without_doubles([change for step in steps for change in _changes(step, failed)])
    return tuple(sorted(found, key=lambda each: (each.namespace or "", each.object_name, each.field or "")))


def deployed_release(steps: Steps) -> tuple[str, str] | None:
    """Return namespace and name of the stack's Helm release, None where there is none, or none any more."""
    for step in steps:
        if _type(step) == _RELEASE and step["op"] != "delete":
            inputs = step["newState"]["inputs"]
            return inputs["namespace"], inputs["name"]
    return None


def unready_objects(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return each object that is as it was written and does not work, with the provider's first reason."""
    found: list[str] = []
    for each in document.get("diagnostics") or []:
        message = str(each.get("message", ""))
        if _UNHEALTHY in message:
            # The first line only says which object it is.
            lines = [line.removeprefix("* ") for line in message.splitlines() if line.startswith("* ")]
            kind = _type_of(each["urn"]).rsplit(":", 1)[-1]
            name = str(each["urn"]).rsplit("::", 1)[-1]
            found.append(f"{kind} of the resource {name}: {(lines[1:] or ['not ready'])[0]}")
    return tuple(found)


def _changes(step: Step, failed: frozenset[str]) -> Iterator[Change]:
    if not _type(step).startswith(_KUBERNETES):
        return
    kind, namespace, name = _identity(step["oldState"])
    if step["op"] == "delete":
        outcome = Outcome.REFILLED if kind == _CLAIM else Outcome.RECREATED
        expected = "exists, with its data" if kind == _CLAIM else "exists"
        yield Change(kind, namespace, name, None, expected, "is gone", outcome)
    elif step["op"] == "update":
        yield from _changed_fields(step, kind, namespace, name, has_failed=step["urn"] in failed)


def _changed_fields(
    step: Step, kind: str, namespace: str | None, name: str, *, has_failed: bool
) -> Iterator[Change]:
    old, new, live = step["oldState"]["inputs"], step["newState"]["inputs"], step["newState"]["outputs"]
    details: Mapping[str, Mapping[str, Any]] = step.get("detailedDiff") or {}
    is_secret = _type(step) == _SECRET
    for text, detail in sorted(details.items()):
        replaces = str(detail["kind"]).endswith("-replace")
        for path in _leaves(old, new, parse_path(text)):
            owners = [] if _type(step) == _RELEASE else owners_of(live, path)
            if kind == _GRAPH and path[-1] == "replicas" and any(not each.is_pulumi for each in owners):
                # The program ends here before the provider could take it (guards/scaled_by_hand.py).
                outcome = Outcome.REFUSED
            else:
                outcome = Outcome.REPLACED if replaces else outcome_of(live, owners)
            others = tuple(dict.fromkeys(each.manager for each in owners if not each.is_pulumi))
            yield Change(
                kind=kind,
                namespace=namespace,
                name=name,
                field=shown_path(path),
                expected=HIDDEN if is_secret else shown(lookup(old, path)),
                found=HIDDEN if is_secret else shown(lookup(new, path)),
                outcome=outcome,
                managers=others,
                # The state takes what a failed update asked for (pulumi-kubernetes provider/pkg/provider); of
                # an update that the engine never heard of, the cluster has it and the state has not.
                by_failed_up=not others and (has_failed or bool(owners)),
            )


def _leaves(old: object, new: object, path: Path) -> Iterator[Path]:
    """Return the paths below this one that differ: a map that is there on both sides says too little."""
    before, after = lookup(old, path), lookup(new, path)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        yield path
        return
    known = cast("Mapping[str, object]", before), cast("Mapping[str, object]", after)
    for key in sorted({*known[0], *known[1]}):
        if known[0].get(key, MISSING) != known[1].get(key, MISSING):
            yield from _leaves(old, new, (*path, key))


def shown(value: object) -> str:
    """Return a value as the table and JSON show it."""
    if value is MISSING:
        return "not set"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def shown_path(path: Path) -> str:
    """Return a path as a person writes it."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif "." in part or "/" in part:
            text += f'["{part}"]'
        else:
            text += f".{part}" if text else part
    return text


def _type(step: Step) -> str:
    return _type_of(step["urn"])


def _type_of(urn: object) -> str:
    # urn:pulumi:<stack>::<project>::<parents$type>::<name>
    return str(urn).split("::")[2].rsplit("$", 1)[-1]


def _identity(state: Mapping[str, Any]) -> tuple[str, str | None, str]:
    kind = str(state["type"]).rsplit(":", 1)[-1]
    namespace, _, name = str(state["id"]).rpartition("/")
    return kind, namespace or None, name
