"""What the docstrings in a settings model say of its fields.

Pydantic can read them itself, but does so whenever the class is made: every command would parse the source of
the settings at its start. Here it happens only where somebody wants to read them.
"""

import ast
import inspect
import re
import textwrap
from itertools import pairwise

from pydantic import BaseModel


def summary(model: type[BaseModel]) -> str:
    """Return the first paragraph of the model's own docstring, on one line."""
    return _one_line((model.__doc__ or "").partition("\n\n")[0])


def field_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstring below each field that has one, by the field's name, inherited ones included."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            found |= _own_docstrings(base)
    return found


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
