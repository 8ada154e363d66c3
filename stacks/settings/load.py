"""Read a stack's settings from its file, without an engine."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from stacks.errors import Problem, SettingsError
from stacks.nearest import nearest
from stacks.settings.parse import parse_settings, plain_token_problem
from stacks.settings.stack import StackSettings
from stacks.settings.yaml_file import YamlProblemError, parse_yaml

CONFIG_NAMESPACE = "dynamo-stack"
SETTINGS_KEY = f"{CONFIG_NAMESPACE}:settings"
TOKEN_KEY = f"{CONFIG_NAMESPACE}:hfToken"
_KEYS = (SETTINGS_KEY, TOKEN_KEY)

_PREFIX, _SUFFIX = "Pulumi.", ".yaml"


def list_stacks(directory: Path) -> list[str]:
    """Return the names of the stacks that have a file in the directory, sorted."""
    files = directory.glob(f"{_PREFIX}?*{_SUFFIX}")
    return sorted(file.name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for file in files)


def load_stack(name: str, directory: Path) -> StackSettings:
    """Return the settings in `Pulumi.<name>.yaml`, exactly as the engine would hand them to the program.

    Raises:
        SettingsError: there is no such file, it is not YAML, or its settings cannot be used.

    """
    file = directory / f"{_PREFIX}{name}{_SUFFIX}"
    if not file.is_file():
        raise SettingsError({file.name: [_no_such_stack(name, directory)]})
    return parse_settings(read_settings(file), file.name)


def read_settings(file: Path) -> object:
    """Return what stands below `dynamo-stack:settings` in a stack file.

    Raises:
        SettingsError: the file is not YAML, or does not hold settings under that key.

    """
    try:
        document: object = parse_yaml(file.read_text(encoding="utf-8"))
    except YamlProblemError as error:
        place = f"{file.name}:{error.line}" if error.line else file.name
        raise SettingsError({place: [Problem("", None, f"not a stack file: {error}")]}) from None
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
        suggestion=nearest(name, stacks),
    )
