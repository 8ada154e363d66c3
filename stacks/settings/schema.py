"""JSON schemas of stack and recipe files, by which editors complete and check them; the page of settings.

Written from the models themselves. To bring settings.schema.json, recipes/recipe.schema.json and
docs/settings.md up to date: `python -m stacks.settings.schema`.
"""

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from engines.registry import ENGINES
from recipes.files import SCHEMA_FILE as RECIPE_SCHEMA_FILE
from recipes.load import model_names
from recipes.model import Recipe
from stacks.settings.load import CONFIG_NAMESPACE, SETTINGS_KEY, TOKEN_KEY
from stacks.settings.services import EngineOverrides
from stacks.settings.setting_places import blocks_of, field_place, kind_of, models_within
from stacks.settings.stack import StackSettings

SCHEMA_FILE = Path(__file__).with_name("settings.schema.json")
EDITOR_LINE = "# yaml-language-server: $schema=stacks/settings/settings.schema.json"
"""First line of every stack file; what the YAML language server of most editors looks for."""

_SETTINGS = StackSettings.__name__
# The draft that editors support completely.
_DRAFT = "http://json-schema.org/draft-07/schema#"


def stack_file_schema() -> dict[str, Any]:
    """Return the schema of a whole stack file.

    Keys of the engine and of other programs stay free; ours are the settings and the encrypted token.
    """
    definitions = definitions_of(StackSettings)
    engines = [engine.settings for engine in ENGINES.values()]
    for engine in engines:
        definitions |= definitions_of(engine)
    _offer(definitions[EngineOverrides.__name__], engines)
    return {
        "$schema": _DRAFT,
        "title": f"Stack file of {CONFIG_NAMESPACE}",
        "type": "object",
        "required": ["config"],
        "properties": {"config": _config()},
        "$defs": dict(sorted(definitions.items())),
    }


def definitions_of(
    model: type[BaseModel], mode: Literal["validation", "serialization"] = "validation"
) -> dict[str, Any]:
    """Return the schemas of a model and of all models in it, by name, with what their docstrings say.

    `mode`: of what is read, or of what is printed.
    """
    own = model.model_json_schema(by_alias=True, mode=mode)
    definitions: dict[str, Any] = own.pop("$defs", {})
    definitions[model.__name__] = own
    for each in models_within(model):
        _describe(definitions[each.__name__], each)
    for node in _nodes(definitions):
        _tidy(node)
    return definitions


def as_text(schema: dict[str, Any]) -> str:
    """Return what a schema's file has to hold."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _config() -> dict[str, Any]:
    return {
        "type": "object",
        "required": [SETTINGS_KEY],
        "properties": {
            SETTINGS_KEY: {"$ref": f"#/$defs/{_SETTINGS}"},
            TOKEN_KEY: {
                "description": f"Hugging Face token: pulumi config set --secret {TOKEN_KEY}",
                "type": "object",
                "required": ["secure"],
                "properties": {"secure": {"type": "string"}},
                "additionalProperties": False,
            },
        },
        "propertyNames": {
            "anyOf": [{"enum": [SETTINGS_KEY, TOKEN_KEY]}, {"not": {"pattern": f"^{CONFIG_NAMESPACE}:"}}]
        },
    }


def _offer(overrides: dict[str, Any], engines: list[type[BaseModel]]) -> None:
    """Let editors complete the options of every engine: which one a recipe has, no stack file says."""
    options = [{"$ref": f"#/$defs/{engine.__name__}"} for engine in engines]
    for role in overrides["properties"].values():
        role["anyOf"] = [*options, {"type": "null"}]


def _describe(definition: dict[str, Any], model: type[BaseModel]) -> None:
    definition["description"] = summary(model)
    docstrings = field_docstrings(model)
    for name, field in model.model_fields.items():
        said = definition["properties"].get(field.serialization_alias or field.alias or name)
        if said is not None and name in docstrings:
            said["description"] = docstrings[name]


def _tidy(node: dict[str, Any]) -> None:
    # A title that repeats the key, and a keyword of OpenAPI that no editor reads.
    if isinstance(node.get("title"), str):
        del node["title"]
    node.pop("discriminator", None)
    if "patternProperties" in node:
        # Pydantic leaves keys that match no pattern open; the model refuses them.
        node["additionalProperties"] = False


def _nodes(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        node = cast("dict[str, Any]", value)
        yield node
        for inner in node.values():
            yield from _nodes(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _nodes(inner)


DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "settings.md"

_INTRODUCTION = """\
# Settings

<!-- Written by `python -m stacks.settings.schema`; change stacks/settings/stack.py instead. -->

Everything below `dynamo-stack:settings` in a stack file. Unknown keys are errors. Quote text that YAML
would take for a number or a date. A setting is optional where neither `required` nor a default stands
behind it. `prefill` and `decode` are the workers of a disaggregated recipe, `worker` those of an
aggregated one. A kind without a list takes no other key.

`dynamo-stack explain STACK` says what follows from the settings. An editor with the YAML language server
completes them from `stacks/settings/settings.schema.json`.

The one secret is a key of its own: `pulumi config set --secret dynamo-stack:hfToken`."""
_FIXED = "[Fixed](change-what-is-fixed.md)"


def settings_document() -> str:
    """Return the page as Markdown."""
    lines = [_INTRODUCTION]
    for path, model in _blocks():
        kind = kind_of(model)
        lines += [
            "",
            f"## {path}, kind: {kind}" if kind else f"## {path}",
            "",
            summary(model),
            "",
            *_keys(model),
        ]
    return "\n".join([*lines, ""]).replace("Fixed when the stack is created", _FIXED)


def _blocks() -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield each model once, at its first place; engine options behind those of every stack."""
    found: dict[type[BaseModel], str] = {}
    for path, model in blocks_of(StackSettings):
        found.setdefault(model, path or "All of it")
    for framework, engine in ENGINES.items():
        for path, model in blocks_of(engine.settings, "serving.overrides.<role>"):
            found.setdefault(model, f"{path} ({framework})")
    yield from ((path, model) for model, path in found.items())


def recipe_schema() -> dict[str, Any]:
    """Return the schema of a recipe file; a model is described in it, or named as one of recipes/models/."""
    definitions = definitions_of(Recipe)
    recipe = definitions.pop(Recipe.__name__)
    described = recipe["properties"]["model"]
    recipe["properties"]["model"] = {"anyOf": [{"enum": list(model_names())}, described]}
    return {
        "$schema": _DRAFT,
        "title": "Recipe",
        **recipe,
        "$defs": dict(sorted(definitions.items())),
    }


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


if __name__ == "__main__":
    SCHEMA_FILE.write_text(as_text(stack_file_schema()), encoding="utf-8")
    RECIPE_SCHEMA_FILE.write_text(as_text(recipe_schema()), encoding="utf-8")
    DOCUMENT.write_text(settings_document(), encoding="utf-8")
