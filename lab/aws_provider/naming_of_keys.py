"""Pulumi's key of a value and AWS's name of the same: mostly only the case differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NO_NAMES: Mapping[str, str] = {}


def find(key: str, names: Iterable[str], renamed: Mapping[str, str] = _NO_NAMES) -> str | None:
    """AWS's name of a key among those that a structure has; None where it has none."""
    known = {name.lower(): name for name in names}
    if key in renamed:
        return known.get(renamed[key].lower())
    lower = key.lower()
    return known.get(lower) or known.get(lower.removesuffix("s")) or known.get(f"{lower}s")


def to_pulumi(name: str) -> str:
    """Pulumi's usual spelling of AWS's name."""
    return name[:1].lower() + name[1:]
