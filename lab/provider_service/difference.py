"""The answer of Diff and DiffConfig, as every provider gives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Change(Enum):
    """What happens to one field."""

    ADD = "ADD"
    DELETE = "DELETE"
    UPDATE = "UPDATE"


@dataclass(frozen=True)
class FieldChange:
    """One changed field; `replaces` when the object cannot keep its identity through it."""

    change: Change
    replaces: bool


@dataclass
class Difference:
    """All changed fields by their property path."""

    fields: dict[str, FieldChange] = field(default_factory=dict)

    @property
    def replaces(self) -> list[str]:
        """The paths that force a replacement."""
        return [path for path, change in self.fields.items() if change.replaces]


@dataclass(frozen=True)
class ResourceDiff:
    """Whether an update has something to do, and how it is done."""

    difference: Difference
    replaces: list[str]
    delete_before_replace: bool

    @property
    def has_changes(self) -> bool:
        """Whether an update has anything to do."""
        return bool(self.difference.fields or self.replaces)


@dataclass(frozen=True)
class ConfigDiff:
    """Changed inputs of the provider itself, and those of them that make it another one."""

    changed: list[str] = field(default_factory=list)
    replaces: list[str] = field(default_factory=list)
