"""The life of one managed rolling update: when it starts, when it is over, what it does to old generations.

Source: ai-dynamo/dynamo deploy/operator/internal/controller/dynamographdeployment_rollingupdate.go at
0a132bc43; #13495 and #13620 tell its two faults, which the 1.2 line has and so has this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.dynamo_operator.generations import Hashes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.controller.api import Manifest

# On the graph: the generation that served last. An update has them change only when the update is over.
CURRENT_HASH = "nvidia.com/current-worker-hash"
CURRENT_HASH_V2 = "nvidia.com/current-worker-hash-v2"
PENDING, IN_PROGRESS, COMPLETED = "Pending", "InProgress", "Completed"
_NONE = Hashes("", "")


@dataclass(frozen=True)
class Decision:
    """What one reconciliation does about generations before it looks at objects."""

    current: Hashes
    """The hashes to write down on the graph."""
    status: Manifest | None
    """The new status.rollingUpdate."""
    deletes_old: bool = False
    """Every component deployment of another generation goes at once, whatever it serves."""


def current_hashes(graph: Manifest) -> Hashes:
    """What the graph says about the generation that served last."""
    annotations: dict[str, str] = graph["metadata"].get("annotations") or {}
    return Hashes(annotations.get(CURRENT_HASH, ""), annotations.get(CURRENT_HASH_V2, ""))


def is_active(status: Manifest | None) -> bool:
    """Whether status.rollingUpdate tells of an update that is not over."""
    return (status or {}).get("phase") in {PENDING, IN_PROGRESS}


def migrated(current: Hashes, desired: Hashes) -> Hashes:
    """The current hashes where the first alone cannot tell that something has changed: it is given up then.

    A changed annotation of a v1alpha1 service is such a change.
    """
    if not current.v1 or current.v1 != desired.v1 or current.v2 == desired.v2:
        return current
    return Hashes("", current.v2) if current.v2 else Hashes(current.v1, desired.v2)


def generation_hash(current: Hashes, desired: Hashes) -> str:
    """The hash in the names of the workers that are wanted now."""
    if current.v1 == desired.v1 and current.v2 in {"", desired.v2}:
        return desired.v1
    if current.v1:
        return desired.v2 if current.v1 == desired.v1 else desired.v1
    return desired.v2 if current.v2 else desired.v1


def decide(
    current: Hashes, desired: Hashes, status: Manifest | None, workers: Mapping[str, bool], now: str
) -> Decision:
    """The next step from what the graph says of itself and which workers' new generation serves alone.

    A graph without a current hash is taken for a new one, so a graph that was replaced instead of patched
    keeps its old workers for ever (ai-dynamo/dynamo#13495). One that goes back to the current hash in the
    middle of an update is taken for one whose update was interrupted at its end, so all that is not of the
    current generation goes, even what serves (ai-dynamo/dynamo#13620).
    """
    if current == _NONE:
        return Decision(desired, status)
    if _are_equal(current, desired) and not is_active(status):
        return Decision(current, status)
    new = generation_hash(current, desired)
    is_current = new in {current.v1, current.v2}
    done = Hashes("", desired.v2) if new == desired.v2 else desired
    if (status or {}).get("phase") == COMPLETED and not is_current:
        if workers and all(workers.values()):
            return Decision(done, status)
        status = None
    updated = sorted(name for name, is_updated in workers.items() if is_updated or is_current)
    return _next_phase(current, done, status or {}, updated, now, is_over=len(updated) == len(workers))


def _next_phase(
    current: Hashes, done: Hashes, status: Manifest, updated: list[str], now: str, *, is_over: bool
) -> Decision:
    match status.get("phase"):
        case "Completed":
            return Decision(current, status)
        case "Pending":
            return Decision(current, status | {"phase": IN_PROGRESS})
        case "InProgress":
            status = status | {"updatedComponents": updated}
            if not is_over:
                return Decision(current, status)
            return Decision(done, status | {"phase": COMPLETED, "endTime": now}, deletes_old=True)
        case _:
            return Decision(current, {"startTime": now, "phase": PENDING})


def _are_equal(current: Hashes, desired: Hashes) -> bool:
    if current.v1:
        return current.v1 == desired.v1 and current.v2 in {"", desired.v2}
    return current.v2 == desired.v2
