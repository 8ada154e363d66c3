"""Pydantic's findings in the words of a person who edits a stack file."""

from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.settings import UNQUOTED_DATE, StackSettings

_QUOTE = 'quote it, as in "{}"'
_WHAT_IS_ALLOWED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_PATTERNS_IN_WORDS = {
    r"^[0-9]+\.": 'a version of three numbers in quotes, as in "1.2.1"',
    "^[1-9]": "a size such as 100Gi or 2Ti",
    "^[a-z0-9]": "small letters, digits and hyphens, as in Kubernetes names",
}


def problems_of(error: ValidationError, source: str) -> tuple[Problem, ...]:
    """Return one problem for each thing that pydantic found."""
    return tuple(_problem(details, source) for details in error.errors(include_url=False))


def _problem(details: ErrorDetails, source: str) -> Problem:
    location = details["loc"]
    key = _dotted(location)
    value: Any = details["input"]
    match details["type"]:
        case "extra_forbidden":
            return _unknown_key(location, key, value, source)
        case "missing":
            message = "is missing"
            return Problem(source, key, None, message, allowed=_allowed(details, location))
        case "string_type" if isinstance(value, int | float):
            return _unquoted(key, value, source)
        case "value_error" | "string_pattern_mismatch" if _looks_like_a_date(value):
            return _unquoted_date(key, value, source)
        case _:
            return Problem(source, key, value, _message(details), allowed=_allowed(details, location))


def _unknown_key(location: tuple[int | str, ...], key: str, value: object, source: str) -> Problem:
    known = _keys_at(location[:-1])
    typed = str(location[-1])
    return Problem(
        source,
        key,
        value,
        f"there is no setting {typed!r} here",
        allowed=", ".join(known),
        suggestion=nearest(typed, known),
    )


def _unquoted(key: str, value: object, source: str) -> Problem:
    kind = "true or false" if isinstance(value, bool) else "a number"
    message = f"this is {kind} to YAML, which may drop digits of what was typed; text is needed"
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return Problem(source, key, value, message, allowed="text in quotes", suggestion=_QUOTE.format(shown))


def _unquoted_date(key: str, value: str, source: str) -> Problem:
    message = "this is a date to YAML, which rewrites it; text is needed"
    date = value.partition(" ")[0]
    return Problem(source, key, value, message, allowed="text in quotes", suggestion=_QUOTE.format(date))


def _message(details: ErrorDetails) -> str:
    if details["type"] == "literal_error":
        return "not one of the known words"
    if details["type"] == "string_pattern_mismatch":
        return "not written as this setting has to be"
    return details["msg"].removeprefix("Input should be").removeprefix("Value error,").strip()


def _allowed(details: ErrorDetails, location: tuple[int | str, ...]) -> str | None:
    context = details.get("ctx", {})
    if details["type"] == "literal_error":
        return str(context.get("expected", "")).replace("'", "")
    if details["type"] == "string_pattern_mismatch":
        pattern = str(context.get("pattern", ""))
        return next(
            (words for start, words in _PATTERNS_IN_WORDS.items() if pattern.startswith(start)), pattern
        )
    if details["type"] == "missing":
        return _meaning(location)
    return _WHAT_IS_ALLOWED.get(details["type"])


def _meaning(location: tuple[int | str, ...]) -> str | None:
    """Say what a setting that is not there would hold, from its type."""
    model = _model_at(location[:-1])
    if model is None:
        return None
    field = next((field for field in model.model_fields.values() if field.alias == location[-1]), None)
    annotation = field.annotation if field else None
    if get_origin(annotation) is Literal:
        return ", ".join(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "a mapping with " + ", ".join(_aliases(annotation))
    return None


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


def _looks_like_a_date(value: object) -> bool:
    return isinstance(value, str) and UNQUOTED_DATE.match(value) is not None


def _dotted(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")
