"""A stack's drift: its changes, the commands that undo them, and both for a person or a pipeline."""

import json
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import takewhile
from typing import Self

from pydantic import Field, computed_field

from failures.explanation import Subject
from failures.failed_operation import edit_command
from failures.losses import Loss
from operations.document import Document
from resource_graph.printable import dotted
from resource_graph.values import Path
from stacks.wording import in_words

_HIDDEN = "[secret]"
_LONGEST_VALUE = 48
_SHARED = 12
"""Characters that are shown of what two long values share before they differ."""


class Outcome(Enum):
    """What `pulumi up --refresh` does about a change."""

    REPAIRED = "repaired"
    RECREATED = "recreated"
    REFILLED = "refilled"
    GOING = "going"
    OWNERS = "owners"
    CHECKED = "checked"
    REPLACED = "replaced"
    PREVIEW_STOPS = "preview-stops"
    REFUSED = "refused"
    LEFT = "left"
    RECORDED = "recorded"
    FIRST = "first"

    @property
    def words(self) -> str:
        """The outcome as a table has it."""
        return _WORDS[self]


_WORDS = {
    Outcome.REPAIRED: "put back",
    Outcome.RECREATED: "made again",
    Outcome.REFILLED: "made again and filled",
    Outcome.GOING: "made again once it is gone",
    Outcome.OWNERS: "left: its owner makes it again",
    Outcome.CHECKED: "its files are checked",
    Outcome.REPLACED: "deleted and made again",
    Outcome.PREVIEW_STOPS: "put back, but its preview stops at the conflict",
    Outcome.REFUSED: "refused: conflict",
    Outcome.LEFT: "left: Pulumi sees a Helm release as one object",
    Outcome.RECORDED: "nothing to put back: the settings say so",
    Outcome.FIRST: "made again by what FIRST says",
}
_MADE_AGAIN = {"was made again": Outcome.REFILLED, "was made again by its owner": Outcome.CHECKED}
"""What a claim is found to be -> what its Job does then."""


class Change(Document):
    """One field that is not as the stack wrote it, or an object that is gone."""

    kind: str
    namespace: str | None
    """Null for an object of the whole cluster."""
    name: str
    field: str | None = None
    """Null where the whole object is gone."""
    expected: str
    """The program's value, which `pulumi up --refresh` writes."""
    found: str
    managers: tuple[str, ...] = Field(default=(), serialization_alias="changedBy")
    """Field managers that own the field now; empty where nobody does, or nobody can tell."""
    by_failed_up: bool = False
    """Whether an `up` that failed left it, and nobody else had a hand in it."""
    outcome: Outcome = Field(serialization_alias="up")
    """What `pulumi up --refresh` does about it."""

    @classmethod
    def of(
        cls,
        item: Subject,
        values: tuple[object, object],
        outcome: Outcome,
        path: Path | None = None,
        managers: tuple[str, ...] = (),
        *,
        by_failed_up: bool = False,
    ) -> Self:
        """Return the change of one field of an object, or of all of it. Values of a Secret are hidden."""
        hides = item.kind == "Secret" and path is not None
        expected, found = (_HIDDEN if hides else _shown(value) for value in values)
        return cls(
            kind=item.kind,
            namespace=item.namespace,
            name=item.name,
            field=None if path is None else dotted(path),
            expected=expected,
            found=found,
            managers=managers,
            by_failed_up=by_failed_up,
            outcome=outcome,
        )

    @property
    def object_name(self) -> str:
        """Kind and name, as a person writes them."""
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


class DriftReport(Document):
    """What somebody changed in the cluster behind the stack's back."""

    stack: str
    changes: tuple[Change, ...]
    not_compared: tuple[str, ...] = ()
    """Graphs that nobody could compare, and why."""
    lost: tuple[str, ...] = ()
    """Parts that are being deleted, or are empty; each is among the changes too."""
    first: tuple[str, ...] = Field(default=(), exclude=True)
    """Commands that go before the repair, in their order: what brings the Helm release back to its manifest,
    and without which nothing can heal what is lost."""

    @computed_field
    @property
    def differs(self) -> bool:
        """Whether there is any change."""
        return bool(self.changes)

    @computed_field(alias="repair")
    @property
    def commands(self) -> tuple[str, ...]:
        """Commands that undo it, in their order."""
        return (*self.first, *([self.repair] if self.repair else []))

    @property
    def repair(self) -> str | None:
        """The command for everything that Pulumi sees; None where that is as it should be."""
        outcomes = {change.outcome for change in self.changes}
        if Outcome.OWNERS in outcomes or outcomes <= {Outcome.LEFT, Outcome.FIRST}:
            return None
        # A preview may not take kubectl's fields, and stops there; the update takes them.
        preview = " --skip-preview" if Outcome.PREVIEW_STOPS in outcomes else ""
        return f"pulumi up --refresh{preview} --stack {self.stack}"

    def headline(self) -> str:
        """Return the answer in one line."""
        own = [change for change in self.changes if change.by_failed_up]
        number = len(self.changes) - len(own)
        failed = f"an `up` that did not finish left {in_words(len(own), 'field')} half done"
        if not self.changes:
            return f"STACK {self.stack}: the cluster is as the last `up` left it"
        if not number:
            return f"STACK {self.stack}: {failed}; nobody else has changed anything"
        made = "since the last `up` that nobody made with Pulumi"
        rest = f"; {failed}" if own else ""
        return f"STACK {self.stack}: {in_words(number, 'change')} {made}{rest}"

    def advice(self) -> Iterator[tuple[str, str]]:
        """Return what to type and to know, as label and text."""
        for command in self.first:
            yield "FIRST", command
        refused = [each for each in self.changes if each.outcome is Outcome.REFUSED]
        edits = (edit_command(each.kind, each.name, each.namespace) for each in refused)
        for edit in dict.fromkeys(edits):
            yield "FIRST", f"{edit}, with the EXPECTED value"
        if self.repair:
            yield "REPAIR", self.repair
        managers = {name for each in refused for name in each.managers}
        if managers:
            yield (
                "CONFLICT",
                f"{', '.join(sorted(managers))} may mean it, so `up` stops there. To leave it, write the "
                f"found value into Pulumi.{self.stack}.yaml. To put it back, make that manager stop setting "
                "it, and type the expected value: an equal value conflicts with nobody.",
            )
        elif any(each.outcome in {Outcome.REFUSED, Outcome.PREVIEW_STOPS} for each in self.changes):
            yield "CONFLICT", "`up` takes back what kubectl wrote; its preview cannot, and would stop"
        for text in self.lost:
            yield "LOST", text
        for text in self.not_compared:
            yield "NOT COMPARED", text
        waits = {Outcome.LEFT, Outcome.OWNERS}
        if not self.repair and any(change.outcome in waits for change in self.changes):
            yield (
                "THEN",
                f"pulumi up --refresh --stack {self.stack}: it ends when graph and claim are healthy",
            )
        yield (
            "UNSEEN",
            "fields that the stack does not set (a foreign label, an item appended to a list) are not looked "
            "at; they stay, but for what kubectl added to an object that is updated",
        )


def columns(change: Change) -> tuple[str, ...]:
    """Return the row of the table for one change."""
    expected, found = _short_pair(change.expected, change.found)
    return (
        change.object_name,
        change.field or "-",
        expected,
        found,
        ", ".join(change.managers) or ("an unfinished `up`" if change.by_failed_up else "-"),
        change.outcome.words,
    )


def as_changes(losses: Sequence[Loss]) -> Iterator[Change]:
    """Return the rows of the table for them."""
    for loss in losses:
        outcome = Outcome.OWNERS if loss.owner_acts else _MADE_AGAIN.get(loss.found, Outcome.GOING)
        expected = "holds the model" if loss.subject.kind == "PersistentVolumeClaim" else "stays"
        found = f"{loss.found}, and is empty" if outcome is Outcome.REFILLED else loss.found
        yield Change.of(loss.subject, (expected, found), outcome)


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _short_pair(expected: str, found: str) -> tuple[str, str]:
    """Return both on one line each, without the long beginning that they share."""
    one, other = " ".join(expected.split()), " ".join(found.split())
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    if max(len(one), len(other)) <= _LONGEST_VALUE or shared <= _SHARED:
        return _short(one), _short(other)
    start = shared - _SHARED
    return _short(f"…{one[start:]}"), _short(f"…{other[start:]}")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
