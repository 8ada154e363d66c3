"""What one side of a comparison is: its stacks, as its own code has recorded them, and that as JSON.

`dynamo-stack record` prints it, and the other side and `diff` read it. The reader takes no key that the
writer does not write: the text can come from a pull request.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from comparison.result import RESULT, RecordedResource, RecordedValues
from resource_graph.input_text import InputError, first_problem
from rules.model import Waiver

SCHEMA_VERSION: Literal[1] = 1
"""Of the recording's JSON; raised by one with every change that an older reader would misread."""


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class RecordedPool:
    """One pool of GPU nodes."""

    name: str
    machine: str
    """EC2 instance type, or what the settings call another kind of node."""
    accelerator: str
    nodes: int
    gpus: int
    """Of all nodes together."""
    used_gpus: int
    """Asked for by the stack's workers."""
    usd_per_gpu_hour: float | None
    """None: no price is published, or nobody has said what the nodes cost."""
    price_source: str | None
    price_date: str | None
    """Day on which the price was read, as YYYY-MM-DD."""
    block: str | None
    """Capacity Block that the pool is bought by, whose fee is paid once and in advance."""


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class RecordedFinding:
    """What a rule said of one part of the stack."""

    rule: str
    severity: Literal["mandatory", "advisory"]
    status: Literal["failed", "undecided", "waived"]
    resource: str
    subject: str
    message: str
    fix: str

    @property
    def identity(self) -> tuple[str, str, str]:
        """What makes it the same finding on the other side, whatever numbers its message has."""
        return self.rule, self.resource, self.subject


@dataclass(frozen=True, slots=True, config=RESULT)
class RecordedNotice:
    """One effect of the update on what runs, as `pulumi preview` says it."""

    text: str
    """The first line says what happens, indented ones why and for how long."""
    warns: bool


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class RecordedUpdate:
    """What the update does to a stack that runs as the other side has it."""

    notices: tuple[RecordedNotice, ...] = ()
    refused: tuple[str, ...] = ()
    """Why the program would end before anything is changed, each as a person would read it."""
    restarts_workers: bool = False
    """Whether every worker restarts, or another graph takes the place of this one."""
    interruption: str | None = None
    """How long nothing serves, and why; None where requests are answered all the time."""


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class StackRecording:
    """One stack of one side."""

    name: str
    resources: tuple[RecordedResource, ...]
    """In the order in which the program registers them. Secret values are marks, never themselves."""
    opened: tuple[RecordedResource, ...] = ()
    """The same once every Capacity Block has opened; empty where the graph waits for none."""
    secrets: Mapping[str, str] = Field(default_factory=dict[str, str])
    """Secret of the stack file -> fingerprint of its encrypted text, which tells that it changed."""
    settings: RecordedValues = Field(default_factory=dict)
    """What a person typed, with marks in place of secrets."""
    address: str | None = None
    """At which clients of the cluster reach the model."""
    fixed: Mapping[str, str | int] = Field(default_factory=dict[str, str | int])
    """Values that are fixed when the stack is created."""
    pools: tuple[RecordedPool, ...] = ()
    findings: tuple[RecordedFinding, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    update: RecordedUpdate | None = None
    """What this side does to the other one; None on the side that is compared with, and for a new stack."""


@dataclass(frozen=True, slots=True, config=RESULT)
class UnreadStack:
    """A stack that its side's own code could not make anything of."""

    name: str
    reason: str
    """As that side's command said it."""


@dataclass(frozen=True, slots=True, config=RESULT)
class Side:
    """All stacks of one revision or folder."""

    label: str
    """What a person typed: a revision, or a folder."""
    commit: str | None
    """None for a folder."""
    stacks: Mapping[str, StackRecording | UnreadStack] = Field(exclude=True)
    notes: tuple[str, ...] = Field(default=(), exclude=True)
    """What a reader has to know of it, such as files that are not compared: one plain sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class _Form:
    schema_version: Literal[1]
    label: str
    commit: str | None
    notes: tuple[str, ...]
    recorded: tuple[StackRecording, ...]
    unread: tuple[UnreadStack, ...]


_FORM = TypeAdapter(_Form)


def side_as_json(side: Side) -> str:
    """Return the side as JSON on one line."""
    stacks = tuple(side.stacks.values())
    form = _Form(
        schema_version=SCHEMA_VERSION,
        label=side.label,
        commit=side.commit,
        notes=side.notes,
        recorded=tuple(each for each in stacks if isinstance(each, StackRecording)),
        unread=tuple(each for each in stacks if isinstance(each, UnreadStack)),
    )
    return _FORM.dump_json(form, by_alias=True).decode()


def side_of_json(text: str | bytes) -> Side:
    """Return the side that `side_as_json` has written.

    Raises:
        InputError: it is something else, or of another release's form.

    """
    try:
        form = _FORM.validate_json(text, strict=True, extra="forbid", by_alias=True, by_name=False)
    except ValidationError as error:
        raise InputError(f"it is no recording: {first_problem(error)}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is no recording: {error}") from None
    stacks: tuple[StackRecording | UnreadStack, ...] = (*form.recorded, *form.unread)
    return Side(form.label, form.commit, {each.name: each for each in stacks}, form.notes)
