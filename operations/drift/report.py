"""A stack's drift: its changes, the commands that undo them, and both for a person or a pipeline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

from failures.field_conflict import FORCE_VARIABLE
from failures.losses import Loss
from operations.drift.property_paths import Path, shown, shown_path

_HIDDEN = "[secret]"
_LONGEST_VALUE = 48


class Outcome(Enum):
    """What `pulumi up --refresh` does about a change."""

    REPAIRED = "put back"
    RECREATED = "made again"
    REFILLED = "made again and filled"
    GOING = "made again once it is gone"
    REPLACED = "deleted and made again"
    PREVIEW_STOPS = "put back, but its preview stops at the conflict"
    REFUSED = "refused: conflict"
    LEFT = "left: Pulumi sees a Helm release as one object"


@dataclass(frozen=True)
class Change:
    """One field that is not as the stack wrote it, or an object that is gone."""

    kind: str
    namespace: str | None
    """Namespace of the object; None for an object of the whole cluster."""
    name: str
    field: str | None
    """Field that differs; None where the whole object is gone."""
    expected: str
    found: str
    outcome: Outcome
    managers: Sequence[str] = ()
    """Field managers that own the field now; empty where nobody does, or nobody can tell."""
    by_failed_up: bool = False
    """Whether it is what an `up` left that failed, and nobody else had a hand in it."""

    @classmethod
    def of_field(
        cls,
        item: tuple[str, str | None, str],
        path: Path,
        values: tuple[object, object],
        outcome: Outcome,
        managers: Sequence[str],
        *,
        by_failed_up: bool = False,
    ) -> Self:
        """Return the change of one field of an item: kind, namespace, name. A Secret's values are hidden."""
        expected, found = (_HIDDEN if item[0] == "Secret" else shown(value) for value in values)
        return cls(*item, shown_path(path), expected, found, outcome, managers, by_failed_up)

    @property
    def object_name(self) -> str:
        """Kind and name, as a person writes them."""
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


@dataclass(frozen=True)
class DriftReport:
    """Every change, and the commands that undo them."""

    stack: str
    changes: Sequence[Change]
    repair_release: str | None = None
    """The command for what lies inside the Helm release; None where nothing of it differs."""
    unready: Sequence[str] = ()
    """Objects that do not work though nobody changed them: no drift, but worth a line."""
    losses: Sequence[Loss] = ()
    """Parts that are being deleted or are empty; each is among the changes too."""

    @property
    def repair(self) -> str | None:
        """The command for everything that Pulumi sees; None where that is as it should be."""
        if all(change.outcome is Outcome.LEFT for change in self.changes):
            return None
        force = f"{FORCE_VARIABLE}=true " if self.conflicts else ""
        return f"{force}pulumi up --refresh --stack {self.stack}"

    @property
    def before_repair(self) -> Sequence[str]:
        """The commands without which nothing can heal what is lost."""
        return list(dict.fromkeys(loss.command for loss in self.losses if loss.command))

    @property
    def conflicts(self) -> Sequence[Change]:
        """The changes whose field somebody else owns now."""
        conflicts = {Outcome.REFUSED, Outcome.PREVIEW_STOPS}
        return [change for change in self.changes if change.outcome in conflicts]

    def headline(self) -> str:
        """Return the answer in one line."""
        own = [change for change in self.changes if change.by_failed_up]
        number = len(self.changes) - len(own)
        failed = f"{_counted(len(own), 'field was', 'fields were')} left half done by an `up` that failed"
        if not self.changes:
            return f"STACK {self.stack}: the cluster is as the last `up` left it"
        if not number:
            return f"STACK {self.stack}: {failed}; nobody else has changed anything"
        made = "since the last `up` that nobody made with Pulumi"
        rest = f"; {failed}" if own else ""
        return f"STACK {self.stack}: {_counted(number, 'change', 'changes')} {made}{rest}"

    def advice(self) -> Iterator[tuple[str, str]]:
        """Return what to type and to know, as label and text."""
        # Without its operator no graph can be changed.
        if self.repair_release:
            yield "RELEASE", self.repair_release
        for command in self.before_repair:
            yield "FIRST", command
        if self.repair:
            yield "REPAIR", self.repair
        refused = {name for each in self.changes if each.outcome is Outcome.REFUSED for name in each.managers}
        if refused:
            yield (
                "CONFLICT",
                f"{', '.join(sorted(refused))} may mean it, so `up` alone stops there. The command above "
                f"takes the field back; to leave it, write the found value into Pulumi.{self.stack}.yaml.",
            )
        elif self.conflicts:
            yield (
                "CONFLICT",
                "`up` takes back what kubectl wrote; its preview cannot, and stops without the variable",
            )
        for loss in self.losses:
            yield "LOST", str(loss)
        for text in self.unready:
            yield "NOT READY", text
        if (self.unready or self.repair_release) and not self.repair:
            yield (
                "THEN",
                f"pulumi up --refresh --stack {self.stack}: it ends when graph and claim are healthy",
            )
        yield (
            "UNSEEN",
            "fields that the stack does not set (a foreign label, an item appended to a list) are not looked "
            "at; they stay, but for what kubectl added to an object that is updated",
        )

    def as_json(self) -> dict[str, Any]:
        """Return the report for a program."""
        return {
            "stack": self.stack,
            "differs": bool(self.changes),
            "changes": [
                {
                    "kind": change.kind,
                    "namespace": change.namespace,
                    "name": change.name,
                    "field": change.field,
                    "expected": change.expected,
                    "found": change.found,
                    "changedBy": list(change.managers),
                    "byFailedUp": change.by_failed_up,
                    "up": change.outcome.name.lower().replace("_", "-"),
                }
                for change in self.changes
            ],
            "notReady": list(self.unready),
            "lost": [str(loss) for loss in self.losses],
            "repair": [
                command for command in (self.repair_release, *self.before_repair, self.repair) if command
            ],
        }


def columns(change: Change) -> tuple[str, ...]:
    """Return the row of the table for one change."""
    return (
        change.object_name,
        change.field or "-",
        _short(change.expected),
        _short(change.found),
        ", ".join(change.managers) or ("a failed `up`" if change.by_failed_up else "-"),
        change.outcome.value,
    )


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


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _short(value: str) -> str:
    text = " ".join(value.split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
