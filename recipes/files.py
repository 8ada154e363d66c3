"""Recipe files as text: the line by which editors find the schema, and a copy under another name."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import yaml

SCHEMA_FILE = Path(__file__).with_name("recipe.schema.json")
RECIPE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)?")
"""What a recipe may be called: its file's path below the folder, without .yaml."""

_EDITOR_LINE = "# yaml-language-server: $schema="


def editor_line(file: Path) -> str:
    """Return the first line of a recipe file; editors take its path from the file's own folder."""
    schema = os.path.relpath(SCHEMA_FILE, file.resolve().parent)
    return f"{_EDITOR_LINE}{Path(schema).as_posix()}"


def copied_recipe(text: str, *, original: str, name: str, file: Path) -> str:
    """Return the text of a recipe under another name, with all comments.

    What was tried is not copied: it was tried of the original, and the copy is there to be changed.

    Args:
        text: of the original, which is a sound recipe.
        original: its name.
        name: of the copy.
        file: where the copy will lie.

    """
    body = _with_values(text, {"name": name, "validatedOn": "[]", "evidence": "[]"})
    if body.startswith(_EDITOR_LINE):
        body = body.partition("\n")[2]
    return (
        f"{editor_line(file)}\n"
        f"# A copy of {original}. What was tried there, validatedOn and evidence, was not tried here.\n"
        f"#\n{body}"
    )


def _with_values(text: str, values: Mapping[str, str]) -> str:
    """Return the YAML text with other values of top-level keys."""
    root = cast("yaml.MappingNode", yaml.compose(text, Loader=yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType]
    for key, value in reversed(root.value):
        if key.value in values:
            # A list in block style ends where the next key begins.
            rest = text[value.end_mark.index :]
            gap = "" if rest.startswith("\n") or not rest else "\n\n"
            text = f"{text[: key.start_mark.index]}{key.value}: {values[key.value]}{gap}{rest}"
    return text
