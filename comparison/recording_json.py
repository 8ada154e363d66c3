"""A side as JSON: what `dynamo-stack record` prints, and what the other side and `diff` read.

The reader takes nothing that the writer does not write: the text can come from a pull request.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from comparison.json_form import Form
from comparison.recording import (
    SCHEMA_VERSION,
    RecordedFinding,
    RecordedNotice,
    RecordedPool,
    RecordedUpdate,
    RecordedWaiver,
    Side,
    StackRecording,
    UnreadStack,
)
from comparison.resource_json import ResourceForm, resource_form, resource_of
from comparison.value_json import Json, from_json, to_json
from resource_graph.printable import one_line

if TYPE_CHECKING:
    from resource_graph import Value

_LONGEST_MESSAGE = 300
_Ignored = Annotated[JsonValue, Field(exclude=True)]
"""Older code writes it, and nothing reads it."""
_LATER: Any = {"recorded": {"__all__": {"settings", "address", "opened"}}}
"""What older code does not read, and nobody's code needs of the other side."""


class RecordingFormatError(Exception):
    """The text is no recording that this release reads; the text of the error says why."""


def side_as_json(side: Side, *, for_older_code: bool = False) -> str:
    """Return the side as JSON on one line.

    Args:
        side: what is written.
        for_older_code: leaves out settings of the stack files, and what waits for a Capacity Block.
            The code of another side needs none of it, and older code refuses a recording that has it.

    """
    form = _SideForm(
        schema_version=SCHEMA_VERSION,
        label=side.label,
        commit=side.commit,
        notes=side.notes,
        recorded=tuple(
            _stack_form(each) for each in side.stacks.values() if isinstance(each, StackRecording)
        ),
        unread=tuple(
            _UnreadForm(name=each.name, reason=each.reason)
            for each in side.stacks.values()
            if isinstance(each, UnreadStack)
        ),
    )
    return form.model_dump_json(
        by_alias=True, exclude_defaults=True, exclude=_LATER if for_older_code else None
    )


def side_of_json(text: str | bytes) -> Side:
    """Return the side that `side_as_json` has written.

    Raises:
        RecordingFormatError: it is something else, or of another release's form.

    """
    try:
        version = _VersionForm.model_validate_json(text).schema_version
        if version != SCHEMA_VERSION:
            raise RecordingFormatError(
                f"it has version {version} of the recording's form, and this release reads {SCHEMA_VERSION}"
            )
        form = _SideForm.model_validate_json(text)
        stacks = {
            **{each.name: _stack(each) for each in form.recorded},
            **{each.name: UnreadStack(each.name, each.reason) for each in form.unread},
        }
    except ValidationError as error:
        raise RecordingFormatError(f"it is no recording: {_first_problem(error)}") from None
    except (ValueError, RecursionError) as error:
        raise RecordingFormatError(f"it is no recording: {one_line(str(error), _LONGEST_MESSAGE)}") from None
    return Side(form.label, form.commit, stacks, form.notes)


class _VersionForm(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, alias_generator=to_camel)

    schema_version: int


class _PoolForm(Form):
    name: str
    machine: str
    accelerator: str
    nodes: int
    gpus: int
    used_gpus: int
    usd_per_gpu_hour: float | None
    price_source: str | None
    price_date: str | None
    block: str | None


class _FindingForm(Form):
    rule: str
    severity: Literal["mandatory", "advisory"]
    status: Literal["failed", "undecided", "waived"]
    resource: str
    subject: str
    message: str
    fix: str
    line: _Ignored = None


class _WaiverForm(Form):
    rule: str
    reason: str
    expires: str


class _NoticeForm(Form):
    text: str
    warns: bool


class _UpdateForm(Form):
    notices: tuple[_NoticeForm, ...]
    refused: tuple[str, ...]
    restarts_workers: bool
    interruption: str | None


class _StackForm(Form):
    name: str
    resources: tuple[ResourceForm, ...]
    opened: tuple[ResourceForm, ...] = ()
    secrets: dict[str, str]
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    address: str | None = None
    fixed: dict[str, str | int]
    pools: tuple[_PoolForm, ...]
    findings: tuple[_FindingForm, ...]
    waivers: tuple[_WaiverForm, ...]
    update: _UpdateForm | None
    lines: _Ignored = None


class _UnreadForm(Form):
    name: str
    reason: str


class _SideForm(Form):
    schema_version: Literal[1]
    label: str
    commit: str | None
    notes: tuple[str, ...]
    recorded: tuple[_StackForm, ...]
    unread: tuple[_UnreadForm, ...]


def _stack_form(stack: StackRecording) -> _StackForm:
    update = stack.update
    return _StackForm(
        name=stack.name,
        resources=tuple(map(resource_form, stack.resources)),
        opened=tuple(map(resource_form, stack.opened)),
        secrets=dict(stack.secrets),
        settings=cast("dict[str, JsonValue]", to_json(stack.settings)),
        address=stack.address,
        fixed=dict(stack.fixed),
        pools=tuple(_PoolForm(**_fields(each)) for each in stack.pools),
        findings=tuple(_FindingForm(**_fields(each)) for each in stack.findings),
        waivers=tuple(_WaiverForm(**_fields(each)) for each in stack.waivers),
        update=None
        if update is None
        else _UpdateForm(
            notices=tuple(_NoticeForm(text=each.text, warns=each.warns) for each in update.notices),
            refused=update.refused,
            restarts_workers=update.restarts_workers,
            interruption=update.interruption,
        ),
    )


def _stack(form: _StackForm) -> StackRecording:
    update = form.update
    return StackRecording(
        name=form.name,
        resources=tuple(map(resource_of, form.resources)),
        opened=tuple(map(resource_of, form.opened)),
        secrets=form.secrets,
        settings=cast("dict[str, Value]", from_json(cast("Json", form.settings))),
        address=form.address,
        fixed=form.fixed,
        pools=tuple(RecordedPool(**dict(each)) for each in form.pools),
        findings=tuple(RecordedFinding(**each.model_dump()) for each in form.findings),
        waivers=tuple(RecordedWaiver(**dict(each)) for each in form.waivers),
        update=None
        if update is None
        else RecordedUpdate(
            notices=tuple(RecordedNotice(each.text, each.warns) for each in update.notices),
            refused=update.refused,
            restarts_workers=update.restarts_workers,
            interruption=update.interruption,
        ),
    )


def _fields(recorded: RecordedPool | RecordedFinding | RecordedWaiver) -> dict[str, Any]:
    return {name: getattr(recorded, name) for name in recorded.__slots__}


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    return one_line(f"{place}: {first['msg']}" if place else first["msg"], _LONGEST_MESSAGE)
