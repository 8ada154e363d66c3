"""The life of one managed rolling update: when it starts, when it is over, what it does to old generations.

Source: ai-dynamo/dynamo deploy/operator/internal/controller/dynamographdeployment_rollingupdate.go at
0a132bc43; #13495 and #13620 tell its two faults, which the 1.2 line has and so has this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.controller.api import Manifest

# On the graph: the generation that served last. An update has it change only when the update is over.
CURRENT_HASH = "nvidia.com/current-worker-hash-v2"
PENDING, IN_PROGRESS, COMPLETED = "Pending", "InProgress", "Completed"


@dataclass(frozen=True)
class Decision:
    """What one reconciliation does about generations before it looks at objects."""

    current: str
    """The hash to write down on the graph."""
    status: Manifest | None
    """The new status.rollingUpdate."""
    deletes_old: bool = False
    """Every component deployment of another generation goes at once, whatever it serves."""


def current_hash(graph: Manifest) -> str:
    """What the graph says about the generation that served last; "" where nothing is recorded."""
    annotations: dict[str, str] = graph["metadata"].get("annotations") or {}
    return annotations.get(CURRENT_HASH, "")


def is_active(status: Manifest | None) -> bool:
    """Whether status.rollingUpdate tells of an update that is not over."""
    return (status or {}).get("phase") in {PENDING, IN_PROGRESS}


def decide(
    current: str, desired: str, status: Manifest | None, workers: Mapping[str, bool], now: str
) -> Decision:
    """The next step from what the graph says of itself and which workers' new generation serves alone.

    A graph without a current hash is taken for a new one, so a graph that was replaced instead of patched
    keeps its old workers for ever (ai-dynamo/dynamo#13495). One that goes back to the current hash in the
    middle of an update is taken for one whose update was interrupted at its end, so all that is not of the
    current generation goes, even what serves (ai-dynamo/dynamo#13620).
    """
    if not current:
        return Decision(desired, status)
    is_current = current == desired
    if is_current and not is_active(status):
        return Decision(current, status)
    if (status or {}).get("phase") == COMPLETED:
        if workers and all(workers.values()):
            return Decision(desired, status)
        status = None
    updated = sorted(name for name, is_updated in workers.items() if is_updated or is_current)
    return _next_phase(current, desired, status or {}, updated, now, is_over=len(updated) == len(workers))


def _next_phase(
    current: str, desired: str, status: Manifest, updated: list[str], now: str, *, is_over: bool
) -> Decision:
    match status.get("phase"):
        case "Pending":
            return Decision(current, status | {"phase": IN_PROGRESS})
        case "InProgress":
            status = status | {"updatedComponents": updated}
            if not is_over:
                return Decision(current, status)
            return Decision(desired, status | {"phase": COMPLETED, "endTime": now}, deletes_old=True)
        case _:
            return Decision(current, {"startTime": now, "phase": PENDING})
