"""What a change makes of the findings of the rules, and of the waivers."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic.dataclasses import dataclass

from comparison.recording import RecordedFinding
from comparison.result import RESULT
from rules.model import Waiver


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class FindingChanges:
    """The findings of both sides; an identity, not a message, makes two the same."""

    new: tuple[RecordedFinding, ...] = ()
    fixed: tuple[RecordedFinding, ...] = ()
    """As the older side had them."""
    still_there: tuple[RecordedFinding, ...] = ()
    waived: tuple[RecordedFinding, ...] = ()
    """Open on the older side, and waived on the newer one: nothing is fixed."""

    @property
    def stopping(self) -> tuple[RecordedFinding, ...]:
        """Reasons not to deploy the newer side, new ones first."""
        return tuple(each for each in (*self.new, *self.still_there) if stops(each))


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class WaiverChanges:
    """Which waivers come and go; that one has expired is a finding itself."""

    new: tuple[Waiver, ...] = ()
    """Not on the older side with this reason and day."""
    removed: tuple[Waiver, ...] = ()
    """Of rules that the newer side waives no more."""


def stops(finding: RecordedFinding) -> bool:
    """Whether the finding is a reason not to deploy."""
    return finding.severity == "mandatory" and finding.status == "failed"


def finding_changes(base: Sequence[RecordedFinding], head: Sequence[RecordedFinding]) -> FindingChanges:
    """Return what became of each finding; several of one identity are counted."""
    before, after = _open(base), _open(head)
    waived = {each.identity for each in head if each.status == "waived"}
    new, still_there = _split(after, before)
    gone, _ = _split(before, after)
    return FindingChanges(
        new=_urgent_first(new),
        fixed=_urgent_first(each for each in gone if each.identity not in waived),
        still_there=_urgent_first(still_there),
        waived=_urgent_first(each for each in gone if each.identity in waived),
    )


def waiver_changes(base: Sequence[Waiver], head: Sequence[Waiver]) -> WaiverChanges:
    """Return the waivers that come and go."""
    rules = {each.rule for each in head}
    return WaiverChanges(
        new=tuple(each for each in head if each not in base),
        removed=tuple(each for each in base if each.rule not in rules),
    )


def _open(findings: Iterable[RecordedFinding]) -> list[RecordedFinding]:
    return [each for each in findings if each.status != "waived"]


def _split(
    findings: Sequence[RecordedFinding], others: Sequence[RecordedFinding]
) -> tuple[list[RecordedFinding], list[RecordedFinding]]:
    """Return the findings that the others have not, and those that they have."""
    left = Counter(each.identity for each in others)
    only_here: list[RecordedFinding] = []
    on_both: list[RecordedFinding] = []
    for each in findings:
        has_partner = left[each.identity] > 0
        left[each.identity] -= has_partner
        (on_both if has_partner else only_here).append(each)
    return only_here, on_both


def _urgent_first(findings: Iterable[RecordedFinding]) -> tuple[RecordedFinding, ...]:
    return tuple(sorted(findings, key=lambda each: (not stops(each), each.severity != "mandatory")))
