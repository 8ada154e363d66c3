"""A side as JSON: what `dynamo-stack record` prints, and what the other side and `diff` read.

The reader takes no key that the writer does not write: the text can come from a pull request.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

from comparison.recording import SCHEMA_VERSION, Side, StackRecording, UnreadStack
from comparison.result import RESULT
from resource_graph.printable import one_line

_LONGEST_MESSAGE = 300
_LATER: Any = {"recorded": {"__all__": {"settings", "address", "opened"}}}
"""What older code does not read, and nobody's code needs of the other side."""


class RecordingFormatError(Exception):
    """The text is no recording that this release reads; the text of the error says why."""


class _Version(BaseModel):
    model_config = ConfigDict(strict=True, alias_generator=to_camel)

    schema_version: int


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class _Form:
    schema_version: Literal[1]
    label: str
    commit: str | None
    notes: tuple[str, ...]
    recorded: tuple[StackRecording, ...]
    unread: tuple[UnreadStack, ...]


_FORM = TypeAdapter(_Form)


def side_as_json(side: Side, *, for_older_code: bool = False) -> str:
    """Return the side as JSON on one line.

    Args:
        side: what is written.
        for_older_code: leaves out settings of the stack files, and what waits for a Capacity Block.
            The code of another side needs none of it, and older code refuses a recording that has it.

    """
    stacks = tuple(side.stacks.values())
    form = _Form(
        schema_version=SCHEMA_VERSION,
        label=side.label,
        commit=side.commit,
        notes=side.notes,
        recorded=tuple(each for each in stacks if isinstance(each, StackRecording)),
        unread=tuple(each for each in stacks if isinstance(each, UnreadStack)),
    )
    return _FORM.dump_json(form, by_alias=True, exclude=_LATER if for_older_code else None).decode()


def side_of_json(text: str | bytes) -> Side:
    """Return the side that `side_as_json` has written.

    Raises:
        RecordingFormatError: it is something else, or of another release's form.

    """
    try:
        version = _Version.model_validate_json(text).schema_version
        if version != SCHEMA_VERSION:
            raise RecordingFormatError(
                f"it has version {version} of the recording's form, and this release reads {SCHEMA_VERSION}"
            )
        form = _FORM.validate_json(text, strict=True, extra="forbid", by_alias=True, by_name=False)
    except ValidationError as error:
        raise RecordingFormatError(f"it is no recording: {_first_problem(error)}") from None
    except (ValueError, RecursionError) as error:
        raise RecordingFormatError(f"it is no recording: {one_line(str(error), _LONGEST_MESSAGE)}") from None
    stacks: tuple[StackRecording | UnreadStack, ...] = (*form.recorded, *form.unread)
    return Side(form.label, form.commit, {each.name: each for each in stacks}, form.notes)


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    return one_line(f"{place}: {first['msg']}" if place else first["msg"], _LONGEST_MESSAGE)
