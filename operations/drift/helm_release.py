"""Changes in the objects that a Helm release made; Pulumi sees the release as one object.

The server itself says what differs: a dry run of applying the release's own manifest, beside what is live.
So defaults, quantities and what a controller adds are no difference.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from failures.explanation import Subject
from operations.commands import ClusterCommands
from operations.drift.fields import differing, owners_of
from operations.drift.report import Change, Outcome
from operations.errors import CommandError
from operations.recovery.found_in_cluster import UNFINISHED

_MANAGER = "helm"
_GET = ("--ignore-not-found", "--show-managed-fields")
# The server writes these itself; a dry run counts some of them on.
_OF_THE_SERVER = frozenset({"managedFields", "resourceVersion", "generation", "creationTimestamp", "uid"})

_Object = Mapping[str, Any]


def changes_inside(
    cluster: ClusterCommands, namespace: str, name: str, *, has_failed: bool
) -> tuple[Change, ...]:
    """Return what differs from the manifest of the newest revision.

    Where the last install or upgrade has failed, what only Helm wrote is its own.

    Raises:
        CommandError: helm or the cluster cannot say.
    """
    manifest = cluster.printed("helm", "get", "manifest", name, "--namespace", namespace)
    where = ("--namespace", namespace, "--filename", "-", "--output", "json")
    live = _objects(cluster.printed("kubectl", "get", *_GET, *where, text=manifest))
    dry_run = ("--server-side", "--dry-run=server", "--force-conflicts", f"--field-manager={_MANAGER}")
    wanted = _objects(cluster.printed("kubectl", "apply", *dry_run, *where, text=manifest))
    return tuple(differences(wanted, live, has_failed=has_failed))


def finished_revision(cluster: ClusterCommands, namespace: str, name: str, stack: str) -> str:
    """Return the release's newest revision.

    Raises:
        CommandError: Helm is at work on it, or was interrupted.
    """
    told = json.loads(cluster.printed("helm", "status", name, "--namespace", namespace, "--output", "json"))
    if (status := told["info"]["status"]) in UNFINISHED:
        raise unfinished(f"Helm release {name} is {status}: ", stack)
    return str(told["version"])


def unfinished(found: str, stack: str) -> CommandError:
    """Return that what a run has begun is no drift."""
    return CommandError(
        f"{found}a run is at work or was interrupted, and what it has begun is no drift\n"
        f"  try: wait for a run that is alive; after one that died, `dynamo-stack recover {stack}`"
    )


def rollback(cluster: ClusterCommands, namespace: str, name: str, revision: str) -> str:
    """Return the command that puts the release's objects back.

    Helm compares with the live objects too when it rolls back to the revision that is deployed.
    """
    return cluster.line("helm", "rollback", name, revision, "--namespace", namespace, "--wait")


def differences(
    wanted: Mapping[Subject, _Object], live: Mapping[Subject, _Object], *, has_failed: bool = False
) -> Iterator[Change]:
    """Return each field, or whole object, that is not as the server would make it from the manifest."""
    for key, item in wanted.items():
        if key not in live:
            yield Change.of(key, ("exists", "is gone"), Outcome.LEFT, by_failed_up=has_failed)
            continue
        for path, expected, actual in differing(item, live[key], ()):
            if path[0] == "status" or (path[0] == "metadata" and path[1] in _OF_THE_SERVER):
                continue
            owners = (str(owner["manager"]) for owner in owners_of(live[key], path))
            others = tuple(dict.fromkeys(manager for manager in owners if manager != _MANAGER))
            by_failed_up = has_failed and not others
            yield Change.of(key, (expected, actual), Outcome.LEFT, path, others, by_failed_up=by_failed_up)


def _objects(text: str) -> dict[Subject, _Object]:
    document: _Object = json.loads(text) if text.strip() else {"items": []}
    items: list[_Object] = document["items"] if document.get("kind") == "List" else [document]
    return {
        Subject(item["kind"], item["metadata"]["name"], item["metadata"].get("namespace")): item
        for item in items
        if item
    }
