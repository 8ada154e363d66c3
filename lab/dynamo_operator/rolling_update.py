"""The life of one managed rolling update: when it starts, when it is over, what it does to old generations.

ai-dynamo/dynamo#6110; #13495 and #13620 tell its two faults, which the 1.2 line has and so has this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.controller.api import Manifest

# On the graph: the generation that served last. An update has it change only when the update is over.
CURRENT_HASH = "nvidia.com/current-worker-hash"
PENDING, IN_PROGRESS, COMPLETED = "Pending", "InProgress", "Completed"


@dataclass(frozen=True)
class Hashes:
    """Of the workers' pods: as they served last, and as the graph asks for them now."""

    current: str
    desired: str
    updated_key: str = "updatedServices"
    """Of status.rollingUpdate, by the graph's API version."""

    @property
    def are_equal(self) -> bool:
        """Whether the workers are what the graph asks for."""
        return self.current == self.desired


@dataclass(frozen=True)
class WorkerCounts:
    """Ready pods of one kind of worker."""

    name: str
    desired: int
    new_ready: int
    old_ready: int

    @property
    def is_updated(self) -> bool:
        """Whether the new generation serves alone."""
        return self.new_ready >= self.desired and self.old_ready == 0


@dataclass(frozen=True)
class Decision:
    """What one reconciliation does about generations before it looks at objects."""

    current: str
    """The hash to write down on the graph."""
    status: Manifest | None
    """The new status.rollingUpdate."""
    deletes_old: bool = False
    """Every Deployment of another generation goes at once, whatever it serves."""

    @property
    def is_rolling(self) -> bool:
        """Whether the graph counts as not ready for this reason alone."""
        return is_active(self.status)


def is_active(status: Manifest | None) -> bool:
    """Whether status.rollingUpdate tells of an update that is not over."""
    return (status or {}).get("phase") in {PENDING, IN_PROGRESS}


def decide(hashes: Hashes, status: Manifest | None, workers: list[WorkerCounts], now: str) -> Decision:
    """The next step from what the graph says of itself and what its workers do.

    A graph without a current hash is taken for a new one, so a graph that was replaced instead of patched
    keeps its old workers for ever (ai-dynamo/dynamo#13495). One that goes back to the current hash in the
    middle of an update is taken for one whose update was interrupted at its end, so all that is not of the
    current generation goes, even what serves (ai-dynamo/dynamo#13620).
    """
    if not hashes.current:
        return Decision(hashes.desired, status)
    if hashes.are_equal and not is_active(status):
        return Decision(hashes.current, status)
    if (status or {}).get("phase") == COMPLETED:
        if any(worker.new_ready for worker in workers):
            return Decision(hashes.desired, status)
        status = None
    return _go_on(hashes, status or {}, workers, now)


def _go_on(hashes: Hashes, status: Manifest, workers: list[WorkerCounts], now: str) -> Decision:
    phase = status.get("phase")
    if not phase:
        return Decision(hashes.current, {"startTime": now, "phase": PENDING})
    if phase == PENDING:
        return Decision(hashes.current, status | {"phase": IN_PROGRESS})
    updated = sorted(worker.name for worker in workers if worker.is_updated or hashes.are_equal)
    status = status | {hashes.updated_key: updated}
    if len(updated) < len(workers):
        return Decision(hashes.current, status)
    return Decision(hashes.desired, status | {"phase": COMPLETED, "endTime": now}, deletes_old=True)
