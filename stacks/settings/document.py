"""docs/settings.md, the page of all settings, written by `python -m stacks.settings.schema`."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from engines.registry import ENGINES, Framework
from stacks.settings.setting_places import Place, choice_place, field_place, kind_of, models_of
from stacks.settings.setting_types import NAME_WORDS
from stacks.settings.stack import EngineOverrides, StackSettings
from stacks.wording import alternatives

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "settings.md"

_PLAIN = {bool: "boolean", int: "integer", float: "number", str: "text", Any: "anything"}
_ARTICLE = re.compile(r"^(?:an?|the) ")
_FORM = re.compile(r"^(an? (?!address).+?)(?:, such as | such as |, in quotes|: | in quotes)(?=.)")
_ROLES = {"frontend", "prefill", "decode", "worker"}
_FIXED = "[Fixed](change-what-is-fixed.md)"
_EXTRA = "extra"
_ENGINE_PATH = "serving.overrides.<role>"


@dataclass(frozen=True, slots=True)
class _Section:
    path: str
    model: type[BaseModel]
    framework: Framework | None = None
    """Engine of the recipes for which it holds; None for all."""
    is_told: bool = False
    """Whether the key that leads here has said what the section is about."""

    @property
    def heading(self) -> str:
        kind = kind_of(self.model)
        if self.framework:
            return f"{self.path} ({self.framework})"
        return f"{self.path}, kind: {kind}" if kind else self.path


def settings_document() -> str:
    """Return the page as Markdown."""
    lines = [
        "# Settings",
        "",
        "<!-- Written by `python -m stacks.settings.schema`; change stacks/settings/stack.py instead. -->",
        "",
        "Everything below `dynamo-stack:settings` in a stack file. Unknown keys are errors. Text that YAML",
        "would take for a number or a date stands in quotes. `dynamo-stack explain <stack>` says what",
        "follows from the settings; an editor with the YAML language server completes them from",
        "`stacks/settings/settings.schema.json`. A setting is optional where neither `required` nor a",
        f"default stands behind it. A name is {NAME_WORDS.replace(', as', ' as')}.",
        f"Every mapping of engine options takes `{_EXTRA}` too. `prefill` and `decode` are the workers of a",
        "disaggregated recipe, `worker` that of an aggregated one; what is left out for one of them, or for",
        "`frontend`, stays the recipe's. A kind without a list takes no other key.",
        "",
        "The one secret is a key of its own: `pulumi config set --secret dynamo-stack:hfToken`.",
    ]
    sections = _sections()
    lines += ["", "## Forms of text", "", *_forms(sections)]
    for section in sections:
        lines += ["", f"## {section.heading}", *_told(section), *_keys(section)]
    return "\n".join([*lines, ""])


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
        if issubclass(base, BaseModel) and base is not BaseModel:
            found |= _own_docstrings(base)
    return found


def _sections() -> list[_Section]:
    found: dict[type[BaseModel], _Section] = {}
    for section in _walk(_Section("", StackSettings)):
        found.setdefault(section.model, section)
    top = _Section("All of it", StackSettings)
    return [top, *list(found.values())[1:]]


def _walk(section: _Section) -> Iterator[_Section]:
    yield section
    if section.model is EngineOverrides:
        for framework, engine in ENGINES.items():
            yield from _walk(_Section(_ENGINE_PATH, engine.settings, framework))
        return
    for name, field in section.model.model_fields.items():
        for model in models_of(field.annotation):
            mark = "[]" if any(get_origin(each) is tuple for each in field_place(field).choices) else ""
            path = f"{section.path}.{field.alias or name}{mark}".removeprefix(".")
            yield from _walk(
                _Section(path, model, section.framework, not field_docstrings(section.model).get(name))
            )


def _told(section: _Section) -> list[str]:
    """Return what the section is about, where the key that leads to it has not said so."""
    return ["", summary(section.model)] if kind_of(section.model) or not section.is_told else []


def _keys(section: _Section) -> list[str]:
    model = section.model
    docstrings = field_docstrings(model)
    # Every mapping of an engine's options has this key; the mapping of a role says so for all.
    is_told = section.framework is not None and section.path != _ENGINE_PATH
    fields = {
        name: field
        for name, field in model.model_fields.items()
        if not (name == "kind" and kind_of(model)) and not (name == _EXTRA and is_told)
    }
    if {*fields} <= _ROLES:
        return ["", *_roles(fields)] if fields else []
    lines = (_line(field.alias or name, field, docstrings.get(name, "")) for name, field in fields.items())
    return ["", *lines]


def _roles(fields: Mapping[str, FieldInfo]) -> Iterator[str]:
    """Yield a line for the roles that take the same: the section says what it means for each."""
    by_form: dict[str, list[str]] = {}
    for role, field in fields.items():
        by_form.setdefault(_taken(field), []).append(f"`{role}`")
    yield from (f"- {', '.join(roles)}: {taken}." for taken, roles in by_form.items())


def _line(key: str, field: FieldInfo, meaning: str) -> str:
    told = (meaning or _of_model(field)).replace("Fixed when the stack is created", _FIXED)
    return f"- `{key}`: {_taken(field)}. {told}".rstrip()


def _of_model(field: FieldInfo) -> str:
    models = field_place(field).models
    return summary(models[0]) if len(models) == 1 else ""


def _taken(field: FieldInfo) -> str:
    parts = (_ARTICLE.sub("", _takes(field_place(field))), _default(field))
    return ", ".join(part for part in parts if part)


def _forms(sections: Sequence[_Section]) -> Iterator[str]:
    """Yield what the texts look like that have a name, each once."""
    fields = (field for section in sections for field in section.model.model_fields.values())
    words = dict.fromkeys(words for field in fields for words in _text_forms(field_place(field)))
    for form in words:
        if found := _FORM.match(form):
            yield f"- {_ARTICLE.sub('', found[1])}: {form[found.end(1) :].lstrip(',: ')}"


def _text_forms(place: Place) -> Iterator[str]:
    yield place.form.words
    for part in (part for choice in place.choices for part in get_args(choice)):
        if part is not ... and not isinstance(part, str):
            yield from _text_forms(choice_place(part))


def _form_name(words: str) -> str:
    found = _FORM.match(words)
    return found[1] if found else words


def _takes(place: Place) -> str:
    of_kinds = f"a mapping with kind: {alternatives(_code(place.kinds))}"
    if place.kinds and str not in place.choices:
        return of_kinds
    shown = _code(str(word) for word in place.words)
    if place.models:
        shown.append(of_kinds if place.kinds else "a mapping")
    for choice in place.choices:
        if get_origin(choice) is tuple:
            shown.append(f"a list: {_takes(choice_place(get_args(choice)[0]))}")
        elif get_args(choice) and len(get_args(choice)) > 1 and not place.words:
            key, value = (choice_place(part) for part in get_args(choice))
            inner = "" if get_args(choice) == (str, Any) else f" of {_takes(key)} to {_takes(value)}"
            shown.append(f"a mapping{inner}")
        elif place.form.pattern and choice not in place.models:
            shown.append("a name" if place.form.words == NAME_WORDS else _form_name(place.form.words))
        elif choice in _PLAIN:
            shown.append(_PLAIN[choice])
    return alternatives(shown)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value: object = field.get_default(call_default_factory=False)
    if isinstance(value, bool):
        return f"default `{str(value).lower()}`"
    return f"default `{value}`" if isinstance(value, str | int | float) else ""


def _code(words: Any) -> list[str]:
    return [f"`{word}`" for word in words]


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
