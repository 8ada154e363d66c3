"""Another value in a stack's file: one scalar changes, and every other character stays."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from stacks.errors import Problem, SettingsError
from stacks.settings.load import SETTINGS_KEY
from stacks.settings.yaml_file import parse_yaml

_QUOTES = ("'", '"')


def read_text(file: Path) -> str:
    """Return the text of a file with its own ends of lines."""
    return file.read_bytes().decode("utf-8")


def with_value(text: str, key: str, value: str, file_name: str) -> str:
    """Return the text of a stack file with another text at a key of the settings.

    Args:
        text: of a file whose settings can be used.
        key: dotted path of mappings below `dynamo-stack:settings`, such as platform.version.
        value: of letters, digits, dots and hyphens; it stands in quotes where the old one did.
        file_name: for messages.

    Raises:
        SettingsError: the value cannot be changed alone, because an anchor or a merge shares it.

    """
    path = ("config", SETTINGS_KEY, *key.split("."))
    node = _node(text, path)
    line = node.start_mark.line + 1 if node else _line_of_settings(text)
    changed = _replaced(text, node, value) if node else None
    if changed is None or not _differs_only_there(text, changed, path, value):
        message = (
            "this place shares its value with others, by an anchor, an alias or a merge; nothing was written"
        )
        suggestion = f'write {key}: "{value}" by hand'
        raise SettingsError({f"{file_name}:{line}": [Problem(key, None, message, suggestion=suggestion)]})
    return changed


def replace_text(file: Path, text: str) -> None:
    """Write the text in the place of a file, as a whole or not at all; a link stays one.

    Raises:
        OSError: it cannot be written; the file is as it was.

    """
    # Renaming over a link would put the file in the link's folder, and leave the other one old.
    target = file.resolve()
    try:
        _replace(target, text)
    except OSError as error:
        # Nobody knows the file beside it.
        raise OSError(error.errno, error.strerror, str(file)) from error


def _compose(text: str) -> yaml.Node | None:
    # The marks of the parser in C count from behind a byte order mark. Untyped in the stubs.
    return cast("yaml.Node | None", yaml.compose(text, Loader=yaml.BaseLoader))  # pyright: ignore[reportUnknownMemberType]


def _replace(target: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as written:
            written.write(text)
            written.flush()
            os.fsync(written.fileno())
        shutil.copymode(target, name)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _node(text: str, path: Sequence[str]) -> yaml.ScalarNode | None:
    node = _compose(text)
    for key in path:
        node = next(_values_at(node, key), None)
    return node if isinstance(node, yaml.ScalarNode) else None


def _values_at(node: yaml.Node | None, key: str) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        yield from (value for name, value in node.value if name.value == key)


def _line_of_settings(text: str) -> int:
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if SETTINGS_KEY in line), 1)


def _replaced(text: str, node: yaml.ScalarNode, value: str) -> str | None:
    start, end = node.start_mark.index, node.end_mark.index
    quote = text[start] if text[start] in _QUOTES else ""
    if text[start:end] != f"{quote}{node.value}{quote}":
        # An anchor before it, a block below it.
        return None
    return f"{text[:start]}{quote}{value}{quote}{text[end:]}"


def _differs_only_there(text: str, changed: str, path: Sequence[str], value: str) -> bool:
    wanted: Any = parse_yaml(text)
    place = wanted
    for key in path[:-1]:
        place = place[key]
    # A merged mapping is a copy in what is parsed, an aliased one too.
    place[path[-1]] = value
    return parse_yaml(changed) == wanted
