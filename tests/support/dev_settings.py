"""The committed settings of stack dev, as a test changes them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, cast

from lab.directory import REPOSITORY
from stacks.load import read_settings
from stacks.parse import parse_settings
from stacks.resolve import resolve

if TYPE_CHECKING:
    from stacks.resolved import ResolvedStack

FILE = "Pulumi.dev.yaml"


def dev_settings() -> dict[str, Any]:
    """What stands below `dynamo-stack:settings` in the committed file, for a test to change."""
    return copy.deepcopy(cast("dict[str, Any]", read_settings(REPOSITORY / FILE)))


def resolved(settings: dict[str, Any] | None = None) -> ResolvedStack:
    """The stack that the settings lead to; the committed ones by default."""
    data = dev_settings() if settings is None else settings
    return resolve("dev", parse_settings(data, FILE), FILE)
