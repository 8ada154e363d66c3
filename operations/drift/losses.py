"""Parts of the stack that are going, or empty, though each of their fields is as the stack wrote it."""

from collections.abc import Iterator, Sequence

from failures.losses import Loss, look
from operations.drift.changes import Change, Outcome
from operations.recovery.cluster import ClusterCommands
from stacks.plan.stack_plan import StackPlan
from stacks.updates.guards.losses import places_of


def losses_seen(stack: StackPlan, cluster: ClusterCommands) -> tuple[Loss, ...]:
    """Return what is going or empty; none where the cluster does not say."""

    def command(*words: str) -> str:
        return cluster.line("kubectl", *words)

    seen = look(cluster.look, command, places_of(stack))
    return seen.losses if seen else ()


def as_changes(losses: Sequence[Loss]) -> Iterator[Change]:
    """Return the rows of the table for them."""
    for loss in losses:
        subject = loss.subject
        filled = loss.found == "was made again"
        yield Change(
            subject.kind,
            subject.namespace,
            subject.name,
            None,
            "holds the model" if subject.kind == "PersistentVolumeClaim" else "stays",
            f"{loss.found}, and is empty" if filled else loss.found,
            Outcome.REFILLED if filled else Outcome.GOING,
        )
