"""Stacks beside an upgraded one whose files have to name the same release."""

from pathlib import Path

from stacks.errors import SettingsError
from stacks.plan.layers.owned import joined_layers
from stacks.settings.load import load_stack
from stacks.settings.stack import StackSettings
from stacks.stack_files import list_stacks


def following_stacks(name: str, directory: Path) -> tuple[str, ...]:
    """Return the stacks here that stand on this stack's platform."""
    return tuple(
        other
        for other in list_stacks(directory)
        if other != name and (found := _settings(other, directory)) and platform_owner(found) == name
    )


def platform_owner(settings: StackSettings) -> str | None:
    """Return the stack that owns the platform; None where this one does, or nobody."""
    return joined_layers(settings).get("platform")


def owners_version(owner: str, directory: Path) -> str | None:
    """Return the release in the owner's file; None where the file is not here, or cannot be used."""
    found = _settings(owner, directory)
    return found.platform.version if found and found.platform else None


def _settings(name: str, directory: Path) -> StackSettings | None:
    try:
        return load_stack(name, directory)
    except SettingsError:
        # Its own commands say what is wrong with it.
        return None
