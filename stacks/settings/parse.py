"""From plain data to typed settings, with every mistake in one report."""

import json
from collections.abc import Mapping
from typing import cast

from pydantic import ValidationError

from stacks.errors import Problem, SettingsError
from stacks.settings.explain_validation import problems_of
from stacks.settings.stack import StackSettings

_SET_TOKEN = "pulumi config set --secret dynamo-stack:hfToken"  # noqa: S105 - a command, not a token


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
            raise SettingsError({source: map(_secure_problem, secure)})
        # As JSON, because pydantic's strict mode takes a list for a tuple only there.
        return StackSettings.model_validate_json(json.dumps(data))
    except RecursionError:
        problem = Problem("dynamo-stack:settings", None, "nested too deeply")
        raise SettingsError({source: [problem]}) from None
    except ValidationError as error:
        raise SettingsError({source: problems_of(error)}) from None


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


def _secure_problem(key: str) -> Problem:
    message = "settings hold no secrets: one in here would reach every printed view in plain text"
    return Problem(key, None, message, suggestion=f"{_SET_TOKEN}, the one secret that the stack knows")


def plain_token_problem() -> Problem:
    """Return what to say about a token that stands in the stack file for everyone to read."""
    message = "the token stands there in plain text; its value is not repeated here"
    return Problem("dynamo-stack:hfToken", None, message, suggestion=f"revoke it, then {_SET_TOKEN}")


def secret_settings_problem() -> Problem:
    """Return what to say when the engine reports a secret somewhere in the settings.

    It hands nested secrets out in plain text, so that there is one is all that can be known.
    """
    return _secure_problem("dynamo-stack:settings")
