"""Tables, and lists of a model's keys, for pages that are written from models."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from stacks.settings.setting_places import field_place, kind_of


def sections(models: Iterable[tuple[str, type[BaseModel]]], level: str) -> list[str]:
    """Return a heading, the summary and the keys for each path and model; an empty path has no heading."""
    lines: list[str] = []
    for path, model in models:
        kind = kind_of(model)
        heading = f"{path}, kind: {kind}" if kind else path
        lines += [*(["", f"{level} {heading}"] if path else []), "", summary(model), "", *_keys(model)]
    return lines


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table, a line each."""
    lines = [headers, ["---"] * len(headers), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines]


def summary(model: type[BaseModel]) -> str:
    """Return the first paragraph of the model's own docstring, on one line."""
    return _one_line((model.__doc__ or "").partition("\n\n")[0])


def field_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstring below each field that has one, by the field's name, inherited ones included.

    Pydantic can read them itself, but whenever the class is made: every command would parse the source of the
    settings at its start.
    """
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        # A generic model with its parameter has no source of its own.
        if issubclass(base, BaseModel) and "[" not in base.__name__ and base is not BaseModel:
            found |= _own_docstrings(base)
    return found


def _keys(model: type[BaseModel]) -> Iterator[str]:
    """A line for each key; neighbours that hold the same, and whose names say the rest, have one together."""
    meanings = field_docstrings(model)
    fields = (each for each in model.model_fields.items() if each[0] != "kind" or kind_of(model) is None)
    for (holds, meaning), keys in groupby(
        fields, key=lambda each: (_holds(each[1]), meanings.get(each[0]) or _of_model(each[1]))
    ):
        names = ", ".join(f"`{field.alias or name}`" for name, field in keys)
        yield f"- {names}: {holds}. {meaning}".rstrip()


def _holds(field: FieldInfo) -> str:
    takes = field_place(field).takes
    if field.is_required():
        return f"{takes}, required"
    value: object = field.get_default(call_default_factory=False)
    if isinstance(value, bool):
        return f"{takes}, default `{str(value).lower()}`"
    return f"{takes}, default `{value}`" if isinstance(value, str | int | float) else takes


def _of_model(field: FieldInfo) -> str:
    models = field_place(field).models
    return summary(models[0]) if len(models) == 1 else ""


def _own_docstrings(model: type[BaseModel]) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef))
    return {
        field.target.id: _one_line(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def _one_line(text: str) -> str:
    # The docstrings speak of Python's None, the readers of this of a YAML file.
    line = re.sub(r"\bNone:", "left out:", " ".join(text.split()))
    return line[:1].upper() + line[1:] if line.startswith("left out:") else line.replace(". left", ". Left")
