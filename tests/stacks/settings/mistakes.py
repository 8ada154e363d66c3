"""One change to good settings, and what a person reads about it."""

from typing import Any

import pytest
from pydantic import BaseModel

from stacks.errors import SettingsError
from tests.support.dev_settings import dev_settings, resolved

GONE = object()
Path = tuple[str | int, ...]


def changed(path: Path, value: object) -> dict[str, Any]:
    """Stack dev's settings with one value put in, or taken out."""
    settings = dev_settings()
    target: Any = settings
    for part in path[:-1]:
        target = target.setdefault(part, {}) if isinstance(part, str) else target[part]
    if value is GONE:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return settings


def keys_of(model: type[BaseModel]) -> str:
    """Every key that a mapping may have, in the order of the page of settings."""
    return ", ".join(field.alias or name for name, field in model.model_fields.items())


def said(settings: dict[str, Any]) -> str:
    """All that is wrong with the settings, as it is printed."""
    with pytest.raises(SettingsError) as raised:
        resolved(settings)
    return str(raised.value)


def said_of(path: Path, value: object) -> str:
    """What is printed when this stands there."""
    return said(changed(path, value))
