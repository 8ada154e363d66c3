"""A side as JSON: what `dynamo-stack record` prints, and what the other side and `diff` read.

The reader takes nothing that the writer does not write: the text can come from a pull request.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from comparison.json_form import Form
from comparison.recording import (
    SCHEMA_VERSION,
    RecordedFinding,
    RecordedLines,
    RecordedNotice,
    RecordedPool,
    RecordedUpdate,
    RecordedWaiver,
    Side,
    StackRecording,
    UnreadStack,
)
from comparison.resource_json import ResourceForm, resource_form, resource_of
from resource_graph.printable import one_line

_LONGEST_MESSAGE = 300
_LAST_LINE = 10_000_000
"""No person's file has more."""
_Line = Annotated[int, Field(ge=1, le=_LAST_LINE)]
_LINES: Any = {"recorded": {"__all__": {"lines": True, "findings": {"__all__": {"line"}}}}}


class RecordingFormatError(Exception):
    """The text is no recording that this release reads; the text of the error says why."""


def side_as_json(side: Side, *, with_lines: bool = True) -> str:
    """Return the side as JSON on one line.

    Args:
        side: what is written.
        with_lines: whether lines of the stack files are in it. The code of another side needs none, and older
            code refuses a recording that has them.

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
    return form.model_dump_json(by_alias=True, exclude_defaults=True, exclude=None if with_lines else _LINES)


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
    line: _Line | None = None


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


class _LinesForm(Form):
    settings: _Line
    waivers: dict[str, _Line]
    resources: dict[str, _Line]
    refused: tuple[_Line, ...]


class _StackForm(Form):
    name: str
    resources: tuple[ResourceForm, ...]
    secrets: dict[str, str]
    fixed: dict[str, str | int]
    pools: tuple[_PoolForm, ...]
    findings: tuple[_FindingForm, ...]
    waivers: tuple[_WaiverForm, ...]
    update: _UpdateForm | None
    lines: _LinesForm | None = None


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
    update, lines = stack.update, stack.lines
    return _StackForm(
        name=stack.name,
        resources=tuple(map(resource_form, stack.resources)),
        secrets=dict(stack.secrets),
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
        lines=None if lines is None else _LinesForm(**_fields(lines)),
    )


def _stack(form: _StackForm) -> StackRecording:
    update, lines = form.update, form.lines
    return StackRecording(
        name=form.name,
        resources=tuple(map(resource_of, form.resources)),
        secrets=form.secrets,
        fixed=form.fixed,
        pools=tuple(RecordedPool(**dict(each)) for each in form.pools),
        findings=tuple(RecordedFinding(**dict(each)) for each in form.findings),
        waivers=tuple(RecordedWaiver(**dict(each)) for each in form.waivers),
        update=None
        if update is None
        else RecordedUpdate(
            notices=tuple(RecordedNotice(each.text, each.warns) for each in update.notices),
            refused=update.refused,
            restarts_workers=update.restarts_workers,
            interruption=update.interruption,
        ),
        lines=None if lines is None else RecordedLines(**dict(lines)),
    )


def _fields(recorded: RecordedPool | RecordedFinding | RecordedWaiver | RecordedLines) -> dict[str, Any]:
    return {name: getattr(recorded, name) for name in recorded.__slots__}


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    return one_line(f"{place}: {first['msg']}" if place else first["msg"], _LONGEST_MESSAGE)
