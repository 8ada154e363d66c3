"""Tables, and lists of a model's keys, for pages that are written from models."""

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from stacks.settings.document import field_docstrings, summary

_PLAIN: dict[Any, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    Any: "anything",
}
_OR_NULL = ", or null"


def sections(models: Iterable[tuple[str, type[BaseModel]]]) -> list[str]:
    """Return a heading, the summary and the keys for each path and model; an empty path has no heading."""
    lines: list[str] = []
    for path, model in models:
        heading = ["", f"### `{path}`"] if path else []
        lines += [*heading, "", summary(model), "", *_keys(model)]
    return lines


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table, a line each."""
    lines = [headers, ["---"] * len(headers), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines]


def _keys(model: type[BaseModel]) -> Iterator[str]:
    """A line for each key; neighbours that hold the same, and whose names say the rest, have one together."""
    meanings = field_docstrings(model)
    for (holds, meaning), keys in groupby(
        model.model_fields.items(), key=lambda each: (_holds(each[1]), meanings.get(each[0], ""))
    ):
        names = ", ".join(f"`{field.alias or name}`" for name, field in keys)
        yield f"- {names}: {holds}. {meaning}".rstrip()


def _holds(field: FieldInfo) -> str:
    words = _in_words(field.annotation)
    return words if field.is_required() else f"{words.removesuffix(_OR_NULL)}, or left out"


def _in_words(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _in_words(inner[0])
    if origin is Literal:
        return " or ".join(f"`{word}`" for word in inner)
    if origin in {Union, types.UnionType}:
        choices = [each for each in inner if each is not type(None)]
        return " or ".join(map(_in_words, choices)) + (_OR_NULL if len(choices) < len(inner) else "")
    if origin is tuple:
        return f"list of {_plural(inner[0])}"
    if origin is Mapping:
        return f"mapping of text to {_in_words(inner[1])}"
    return _PLAIN.get(annotation, "mapping, below")


def _plural(annotation: Any) -> str:
    if annotation is str:
        return "words"
    return _in_words(annotation) if get_origin(annotation) is not None else "mappings, below"
