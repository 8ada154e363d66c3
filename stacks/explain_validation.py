"""Pydantic's findings in the words of a person who edits a stack file."""

from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.settings import UNQUOTED_DATE, StackSettings
from stacks.text_forms import form_of_pattern

_TAKES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping",
}
"""Pydantic's error for a wrong type -> what the setting takes."""

_LIMITS = {
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "too_short": "at least {min_length} item",
    "string_too_short": "at least {min_length} character",
    "string_too_long": "at most {max_length} characters",
}


def problems_of(error: ValidationError, source: str) -> tuple[Problem, ...]:
    """Return one problem for each thing that pydantic found."""
    return tuple(_problem(details, source) for details in error.errors(include_url=False))


def _problem(details: ErrorDetails, source: str) -> Problem:
    location, value = details["loc"], details["input"]
    match details["type"]:
        case "extra_forbidden":
            return _unknown_key(location, value, source)
        case "missing":
            return Problem(source, _dotted(location), None, "is missing", allowed=_meaning(location))
        case "string_type" if isinstance(value, int | float):
            return _unquoted(location, value, source)
        case "value_error" | "string_pattern_mismatch" if _is_unquoted_date(value):
            return _unquoted_date(_dotted(location), str(value), source)
        case _:
            message, allowed = _wrong_value(details)
            meant = nearest(str(value), allowed.split(" or "))
            return Problem(source, _dotted(location), value, message, allowed=allowed, suggestion=meant)


def _wrong_value(details: ErrorDetails) -> tuple[str, str]:
    """Return what is wrong with a value, and what may stand there."""
    kind, context = details["type"], details.get("ctx", {})
    if kind == "literal_error":
        return "not one of the known words", str(context.get("expected", "")).replace("'", "")
    if kind == "string_pattern_mismatch":
        return "not written as this setting has to be", form_of_pattern(str(context.get("pattern", ""))).words
    if kind in _TAKES:
        return f"this is {_in_words(details['input'])}", _TAKES[kind]
    return "out of range", _LIMITS.get(kind, details["msg"]).format(**context)


def _unknown_key(location: tuple[int | str, ...], value: object, source: str) -> Problem:
    known = _keys_at(location[:-1])
    typed = str(location[-1])
    message = f"there is no setting {typed!r} here"
    return Problem(
        source,
        _dotted(location),
        value,
        message,
        allowed=", ".join(known),
        suggestion=nearest(typed, known),
    )


def _unquoted(location: tuple[int | str, ...], value: object, source: str) -> Problem:
    message = f"this is {_in_words(value)} to YAML, which may not keep what was typed; text is needed"
    form = form_of_pattern(_pattern_at(location))
    example = form.example.format(str(value).lower())
    return Problem(
        source,
        _dotted(location),
        value,
        message,
        allowed=form.words,
        suggestion=f'quote it, as in "{example}"',
    )


def _unquoted_date(key: str, value: str, source: str) -> Problem:
    message = "this is a date to YAML, which rewrites it; text is needed"
    date = value.partition(" ")[0]
    return Problem(source, key, value, message, allowed="text", suggestion=f'quote it, as in "{date}"')


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else "a mapping"


def _meaning(location: tuple[int | str, ...]) -> str | None:
    """Say what a setting that is not there would hold, from its type."""
    field = _field_at(location)
    annotation = field.annotation if field else None
    if get_origin(annotation) is Literal:
        return " or ".join(get_args(annotation))
    inner = _model_in(annotation)
    if inner is not None:
        return "a mapping with " + ", ".join(_aliases(inner))
    pattern = _pattern_at(location)
    return form_of_pattern(pattern).words if pattern else None


def _field_at(location: tuple[int | str, ...]) -> FieldInfo | None:
    model = _model_at(location[:-1])
    if model is None:
        return None
    return next((field for field in model.model_fields.values() if field.alias == location[-1]), None)


def _pattern_at(location: tuple[int | str, ...]) -> str:
    field = _field_at(location)
    metadata = field.metadata if field else []
    return next((entry.pattern for entry in metadata if getattr(entry, "pattern", None)), "")


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    model = _model_at(location)
    return _aliases(model) if model else []


def _aliases(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_at(location: tuple[int | str, ...]) -> type[BaseModel] | None:
    model: type[BaseModel] = StackSettings
    for part in location:
        if isinstance(part, int):
            continue
        field = next((field for field in model.model_fields.values() if field.alias == part), None)
        inner = _model_in(field.annotation) if field else None
        if inner is None:
            return None
        model = inner
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model in an annotation such as `PoolsPerRole | None` or `tuple[NodePoolSettings, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(part) for part in get_args(annotation))
    return next((model for model in found if model is not None), None)


def _is_unquoted_date(value: object) -> bool:
    return isinstance(value, str) and UNQUOTED_DATE.match(value) is not None


def _dotted(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")
