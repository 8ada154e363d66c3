"""A stack's settings from its file, or from what the engine hands on, with every mistake in one report."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from resource_graph.spelling import nearest
from resource_graph.yaml_events import YamlProblem
from stacks.errors import Problem, SettingsError
from stacks.settings.explain_validation import problems_of
from stacks.settings.stack import StackSettings
from stacks.settings.yaml_file import parse_yaml
from stacks.stack_files import PREFIX, SUFFIX, list_stacks

CONFIG_NAMESPACE = "dynamo-stack"
SETTINGS_KEY = f"{CONFIG_NAMESPACE}:settings"
TOKEN_KEY = f"{CONFIG_NAMESPACE}:hfToken"
_KEYS = (SETTINGS_KEY, TOKEN_KEY)

_SET_TOKEN = f"pulumi config set --secret {TOKEN_KEY}"


def load_stack(name: str, directory: Path) -> StackSettings:
    """Return the settings in `Pulumi.<name>.yaml`, exactly as the engine would hand them to the program.

    Raises:
        SettingsError: there is no such file, it is not YAML, or its settings cannot be used.

    """
    file = directory / f"{PREFIX}{name}{SUFFIX}"
    if not file.is_file():
        is_there = os.path.lexists(file)
        found = Problem("", None, "is no regular file") if is_there else _no_such_stack(name, directory)
        raise SettingsError({file.name: [found]})
    return parse_settings(read_settings(file), file.name)


def read_settings(file: Path) -> object:
    """Return what stands below `dynamo-stack:settings` in a stack file.

    Raises:
        SettingsError: the file is not YAML, or does not hold settings under that key.

    """
    try:
        document: object = parse_yaml(file.read_text(encoding="utf-8"))
    except YamlProblem as error:
        problem = Problem("", None, f"not a stack file: {error}")
        raise SettingsError({f"{file.name}:{error.line}": [problem]}) from None
    except UnicodeDecodeError as error:
        message = f"not a stack file: not UTF-8 text (byte {error.start})"
        raise SettingsError({file.name: [Problem("", None, message)]}) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise SettingsError({file.name: [Problem("", None, message)]}) from None
    value = cast("Mapping[str, object]", document).get("config") if isinstance(document, Mapping) else None
    if not isinstance(value, Mapping):
        problem = Problem("config", value, "a stack file has a mapping `config`")
        raise SettingsError({file.name: [problem]})
    config = cast("Mapping[str, object]", value)
    ours = (key for key in config if key.startswith(f"{CONFIG_NAMESPACE}:"))
    problems = [_unknown_key(key) for key in ours if key not in _KEYS]
    if isinstance(config.get(TOKEN_KEY), str):
        problems.append(plain_token_problem())
    if SETTINGS_KEY not in config:
        problems.append(Problem(f"config.{SETTINGS_KEY}", None, "is missing: the stack has no settings"))
    if problems:
        raise SettingsError({file.name: problems})
    return config[SETTINGS_KEY]


def parse_settings(data: object, source: str) -> StackSettings:
    """Return the settings that the data describes.

    Args:
        data: what stands below `dynamo-stack:settings`, as JSON types.
        source: the file it comes from, for messages.

    Raises:
        SettingsError: everything that is wrong with it.

    """
    if not isinstance(data, Mapping):
        message = "must be a mapping of settings, as in Pulumi.dev.yaml"
        raise SettingsError({source: [Problem("dynamo-stack:settings", data, message)]})
    try:
        secure = _secure_keys(cast("object", data), "")
        if secure:
            raise SettingsError({source: map(secret_problem, secure)})
        # As JSON, because pydantic's strict mode takes a list for a tuple only there.
        return StackSettings.model_validate_json(json.dumps(data))
    except RecursionError:
        problem = Problem("dynamo-stack:settings", None, "nested too deeply")
        raise SettingsError({source: [problem]}) from None
    except ValidationError as error:
        raise SettingsError({source: problems_of(error, StackSettings)}) from None


def secret_problem(key: str = SETTINGS_KEY) -> Problem:
    """Return what to say about a secret at the key, or anywhere in the settings.

    The engine hands nested secrets out in plain text, so that there is one is all that it can tell.
    """
    message = "settings hold no secrets: one in here would reach every printed view in plain text"
    return Problem(key, None, message, suggestion=f"{_SET_TOKEN}, the one secret that the stack knows")


def plain_token_problem() -> Problem:
    """Return what to say about a token that stands in the stack file for everyone to read."""
    message = "the token stands there in plain text; its value is not repeated here"
    return Problem("dynamo-stack:hfToken", None, message, suggestion=f"revoke it, then {_SET_TOKEN}")


def _secure_keys(data: object, path: str) -> list[str]:
    items: list[tuple[str, object]] = []
    if isinstance(data, Mapping):
        mapping = cast("Mapping[str, object]", data)
        if set(mapping) == {"secure"}:
            return [path]
        items = [(f"{path}.{key}" if path else key, value) for key, value in mapping.items()]
    elif isinstance(data, list):
        values = cast("list[object]", data)
        items = [(f"{path}[{index}]", value) for index, value in enumerate(values)]
    return [found for key, value in items for found in _secure_keys(value, key)]


def _unknown_key(key: str) -> Problem:
    return Problem(
        f"config.{key}",
        None,
        "there is no such configuration key",
        allowed=", ".join(_KEYS),
        suggestion=nearest(key, _KEYS),
    )


def _no_such_stack(name: str, directory: Path) -> Problem:
    stacks = list_stacks(directory)
    return Problem(
        "",
        None,
        f"there is no stack {name!r}: no such file in {directory}",
        allowed=", ".join(stacks) or None,
        suggestion=nearest(name, stacks) if stacks else "run this in a checkout of the project",
    )
