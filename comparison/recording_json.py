"""A side as JSON: what `dynamo-stack record` prints, and what the other side and `diff` read.

The reader takes nothing that the writer does not write: the text can come from a pull request.
"""

from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

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
from comparison.value_json import Json, from_json, to_json
from resource_graph import CustomTimeouts, Resource
from resource_graph.printable import one_line
from resource_graph.resource import Path

_LONGEST_MESSAGE = 300


class RecordingFormatError(Exception):
    """The text is no recording that this release reads; the text of the error says why."""


def side_as_json(side: Side) -> str:
    """Return the side as JSON on one line."""
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
    return form.model_dump_json(by_alias=True)


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


class _Form(BaseModel):
    """A JSON object with these keys in camel case, all of them and no others."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        populate_by_name=True,
        allow_inf_nan=False,
    )


class _VersionForm(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, alias_generator=to_camel)

    schema_version: int


class _TimeoutsForm(_Form):
    create: float | None
    update: float | None
    delete: float | None


class _ResourceForm(_Form):
    urn: str
    type: str
    name: str
    inputs: dict[str, JsonValue]
    custom: bool
    parent: str | None
    provider: str | None
    dependencies: tuple[str, ...]
    property_dependencies: dict[str, tuple[str, ...]]
    protect: bool | None
    retain_on_delete: bool | None
    custom_timeouts: _TimeoutsForm
    delete_before_replace: bool | None
    ignore_changes: tuple[str, ...]
    replace_on_changes: tuple[str, ...]
    secret_paths: tuple[tuple[str | int, ...], ...] | None


class _PoolForm(_Form):
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


class _FindingForm(_Form):
    rule: str
    severity: Literal["mandatory", "advisory"]
    status: Literal["failed", "undecided", "waived"]
    resource: str
    subject: str
    message: str
    fix: str


class _WaiverForm(_Form):
    rule: str
    reason: str
    expires: str


class _NoticeForm(_Form):
    text: str
    warns: bool


class _UpdateForm(_Form):
    notices: tuple[_NoticeForm, ...]
    refused: tuple[str, ...]
    restarts_workers: bool
    interruption: str | None


class _StackForm(_Form):
    name: str
    resources: tuple[_ResourceForm, ...]
    secrets: dict[str, str]
    fixed: dict[str, str | int]
    pools: tuple[_PoolForm, ...]
    findings: tuple[_FindingForm, ...]
    waivers: tuple[_WaiverForm, ...]
    update: _UpdateForm | None


class _UnreadForm(_Form):
    name: str
    reason: str


class _SideForm(_Form):
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
        resources=tuple(map(_resource_form, stack.resources)),
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
    )


def _stack(form: _StackForm) -> StackRecording:
    update = form.update
    return StackRecording(
        name=form.name,
        resources=tuple(map(_resource, form.resources)),
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
    )


def _resource_form(resource: Resource) -> _ResourceForm:
    timeouts, paths = resource.custom_timeouts, resource.secret_paths
    return _ResourceForm(
        urn=resource.urn,
        type=resource.type,
        name=resource.name,
        inputs=cast("dict[str, JsonValue]", to_json(resource.inputs)),
        custom=resource.custom,
        parent=resource.parent,
        provider=resource.provider,
        # A set has another order in every process, and equal recordings have to be equal texts.
        dependencies=tuple(sorted(resource.dependencies)),
        property_dependencies={
            key: tuple(sorted(urns)) for key, urns in sorted(resource.property_dependencies.items())
        },
        protect=resource.protect,
        retain_on_delete=resource.retain_on_delete,
        custom_timeouts=_TimeoutsForm(create=timeouts.create, update=timeouts.update, delete=timeouts.delete),
        delete_before_replace=resource.delete_before_replace,
        ignore_changes=resource.ignore_changes,
        replace_on_changes=resource.replace_on_changes,
        secret_paths=None if paths is None else tuple(sorted(paths, key=_order)),
    )


def _resource(form: _ResourceForm) -> Resource:
    inputs = from_json(cast("Json", form.inputs))
    if not isinstance(inputs, dict):
        raise RecordingFormatError(f"the inputs of {form.urn} are unknown as a whole")
    timeouts = form.custom_timeouts
    return Resource(
        urn=form.urn,
        type=form.type,
        name=form.name,
        inputs=inputs,
        custom=form.custom,
        parent=form.parent,
        provider=form.provider,
        dependencies=frozenset(form.dependencies),
        property_dependencies={key: frozenset(urns) for key, urns in form.property_dependencies.items()},
        protect=form.protect,
        retain_on_delete=form.retain_on_delete,
        custom_timeouts=CustomTimeouts(timeouts.create, timeouts.update, timeouts.delete),
        delete_before_replace=form.delete_before_replace,
        ignore_changes=form.ignore_changes,
        replace_on_changes=form.replace_on_changes,
        secret_paths=None if form.secret_paths is None else frozenset(form.secret_paths),
    )


def _fields(recorded: RecordedPool | RecordedFinding | RecordedWaiver) -> dict[str, Any]:
    return {name: getattr(recorded, name) for name in recorded.__slots__}


def _order(path: Path) -> tuple[str, ...]:
    return tuple(f"{type(step).__name__} {step}" for step in path)


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    return one_line(f"{place}: {first['msg']}" if place else first["msg"], _LONGEST_MESSAGE)
