"""A change that somebody else made, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

HIDDEN = "[secret]"
"""Stands where a value is not shown."""


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
    """None for an object of the whole cluster."""
    name: str
    field: str | None
    """None where the whole object is gone."""
    expected: str
    found: str
    outcome: Outcome
    managers: Sequence[str] = ()
    """Field managers that own the field now; empty where nobody does, or nobody can tell."""
    by_failed_up: bool = False
    """Whether it is what an `up` left that failed, and nobody else had a hand in it."""

    @property
    def object_name(self) -> str:
        """Kind and name, as a person writes them."""
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


def without_doubles(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return each change once, in the order in which they were found."""
    return tuple(dict.fromkeys(changes))
