"""One stack on both sides, and what the newer one does to it."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field
from pydantic.dataclasses import dataclass

from comparison.capacity import Capacity, capacity_of
from comparison.changes import FieldChange, ResourceChange
from comparison.fields import field_changes
from comparison.finding_changes import FindingChanges, WaiverChanges, finding_changes, waiver_changes
from comparison.recording import RecordedUpdate, Side, StackRecording, UnreadStack
from comparison.resources import compare
from comparison.result import RESULT

GRAPH = ":DynamoGraphDeployment"
"""End of the type of a graph."""
_SERVERS = (GRAPH, ":LeaderWorkerSet", ":Deployment")
_SERVING = (
    GRAPH,
    ":Namespace",
    ":Deployment",
    ":LeaderWorkerSet",
    ":Service",
    ":Cluster",
    "pulumi:providers:kubernetes",
)
"""Ends of the types of what answers requests, or holds it."""


class ComparisonVerdict(Enum):
    """What a comparison comes to; the later one counts where several stacks differ."""

    NO_CHANGES = "no changes"
    CHANGES = "changes"
    STOPPED = "stopped"
    """A mandatory finding, or something that the API server, the engine or the program refuses."""
    NOT_COMPARED = "not compared"


class Standing(Enum):
    """On which sides a stack is."""

    ON_BOTH = "on both sides"
    NEW = "new"
    REMOVED = "removed"
    """Its file is gone. What it runs stays until somebody destroys it."""


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class StackComparison:
    """One stack that each side where it is could read."""

    name: str
    standing: Standing = Standing.ON_BOTH
    resources: tuple[ResourceChange, ...] = ()
    """Empty for a removed stack, whose resources nobody changes."""
    opened: tuple[ResourceChange, ...] = ()
    """What is not the same besides, or changes otherwise, once every Capacity Block has opened; only where
    the graphs of both sides wait for theirs."""
    left_behind: int = 0
    """Resources of a removed stack, which no file describes any more."""
    update: RecordedUpdate = Field(default_factory=RecordedUpdate)
    before: Capacity = Field(default_factory=Capacity)
    after: Capacity = Field(default_factory=Capacity)
    findings: FindingChanges = Field(default_factory=FindingChanges)
    waivers: WaiverChanges = Field(default_factory=WaiverChanges)
    settings: tuple[FieldChange, ...] = ()
    """What a person typed differently; none beside a side that has no settings, as of a new stack."""
    addresses: tuple[str | None, str | None] = (None, None)
    """Of the older and the newer side: where clients of the cluster reach the model."""
    serves: bool = True
    """Whether the older side has what serves: a graph that waits for its Capacity Block is not there yet."""
    secrets: tuple[str, ...] = ()
    """Names of the stack file's secrets that are new, gone or encrypted anew."""

    @computed_field
    @property
    def verdict(self) -> ComparisonVerdict:
        """What it comes to for this stack."""
        is_refused = bool(self.update.refused) or any(each.is_refused for each in self.resources)
        if is_refused or self.findings.stopping:
            return ComparisonVerdict.STOPPED
        return ComparisonVerdict.CHANGES if self._has_changes else ComparisonVerdict.NO_CHANGES

    @property
    def ends_serving(self) -> tuple[ResourceChange, ...]:
        """Graphs, namespaces and clusters that serve until this deletes or replaces them."""
        return ending(self.resources)

    @property
    def _has_changes(self) -> bool:
        findings, waivers = self.findings, self.waivers
        changed = (
            self.resources,
            self.opened,
            self.secrets,
            (*findings.new, *findings.fixed, *findings.waived),
            (*waivers.new, *waivers.removed),
        )
        return self.standing is not Standing.ON_BOTH or self.before != self.after or any(changed)


@dataclass(frozen=True, slots=True, config=RESULT)
class UncomparedStack:
    """A stack that at least one side could not read."""

    name: str
    base_reason: str | None
    """Why the older side's own code could make nothing of it; None where it could, or the stack is new."""
    head_reason: str | None

    @property
    def unread(self) -> Mapping[str, str]:
        """Side that could not be read -> the reason."""
        reasons = {"older": self.base_reason, "newer": self.head_reason}
        return {side: reason for side, reason in reasons.items() if reason is not None}

    @computed_field
    @property
    def verdict(self) -> Literal[ComparisonVerdict.NOT_COMPARED]:
        """What it comes to for this stack."""
        return ComparisonVerdict.NOT_COMPARED


class Comparison(BaseModel):
    """What the newer side does to all stacks of the older one."""

    model_config: ClassVar[ConfigDict] = {**RESULT, "frozen": True}

    base: Side
    head: Side
    stacks: tuple[StackComparison | UncomparedStack, ...]
    """By name."""
    changed_code: tuple[str, ...] = ()
    """Files of the program or its requirements that differ: then the newer side's code made its recording."""

    @computed_field
    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know of the sides: one plain sentence each."""
        return tuple(dict.fromkeys((*self.base.notes, *self.head.notes)))

    @computed_field
    @property
    def verdict(self) -> ComparisonVerdict:
        """What it comes to; that of the stack for which it is worst."""
        order = list(ComparisonVerdict)
        return max(
            (each.verdict for each in self.stacks), key=order.index, default=ComparisonVerdict.NO_CHANGES
        )


def compare_sides(base: Side, head: Side, changed_code: Sequence[str] = ()) -> Comparison:
    """Return every stack of either side, compared where both could read it.

    Args:
        base: what counts as deployed.
        head: what would be deployed on it.
        changed_code: files of the program or its requirements that differ.

    """
    names = sorted({*base.stacks, *head.stacks})
    return Comparison(
        base=base,
        head=head,
        stacks=tuple(_compared(name, base, head) for name in names),
        changed_code=tuple(changed_code),
    )


def compare_stack(base: StackRecording | None, head: StackRecording) -> StackComparison:
    """Return what the newer side does; with no older one, everything is created."""
    old = base or StackRecording(name=head.name, resources=())
    resources = compare(old.resources, head.resources)
    waits = bool(head.opened) and (base is None or bool(base.opened))
    opened = compare(old.opened, head.opened) if waits else ()
    return StackComparison(
        name=head.name,
        standing=Standing.ON_BOTH if base else Standing.NEW,
        resources=resources,
        opened=tuple(each for each in opened if each not in resources),
        update=head.update or RecordedUpdate(),
        before=capacity_of(old.pools),
        after=capacity_of(head.pools),
        findings=finding_changes(old.findings, head.findings),
        waivers=waiver_changes(old.waivers, head.waivers),
        settings=field_changes(old.settings, head.settings) if old.settings else (),
        addresses=(old.address, head.address),
        serves=any(each.type.endswith(_SERVERS) for each in old.resources),
        secrets=tuple(
            name
            for name in sorted({*old.secrets, *head.secrets})
            if old.secrets.get(name) != head.secrets.get(name)
        ),
    )


def _compared(name: str, base: Side, head: Side) -> StackComparison | UncomparedStack:
    old, new = base.stacks.get(name), head.stacks.get(name)
    if isinstance(old, UnreadStack) or isinstance(new, UnreadStack):
        return UncomparedStack(name, _reason(old), _reason(new))
    if new is not None:
        return compare_stack(old, new)
    assert old is not None
    # Its nodes stay as its other resources do, and cost what they did.
    capacity = capacity_of(old.pools)
    return StackComparison(
        name=name,
        standing=Standing.REMOVED,
        left_behind=sum(each.custom for each in old.resources),
        before=capacity,
        after=capacity,
    )


def ending(changes: Sequence[ResourceChange]) -> tuple[ResourceChange, ...]:
    """Return the changes that end what answers requests, or holds it."""
    return tuple(each for each in changes if each.ends and each.type.endswith(_SERVING))


def _reason(side: StackRecording | UnreadStack | None) -> str | None:
    return side.reason if isinstance(side, UnreadStack) else None
