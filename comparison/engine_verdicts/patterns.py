"""Fields by pattern, as a provider's table names them: `spec.containers.*.image`."""

from collections.abc import Iterable, Mapping, Sequence

from comparison.changes import Change, FieldChange
from resource_graph import Value
from resource_graph.resource import Path

ANY = "*"
"""Stands for one key, or one item of a list."""


def pattern(text: str) -> tuple[str, ...]:
    """Return the steps of a pattern."""
    return tuple(text.split("."))


def patterns(*texts: str) -> tuple[tuple[str, ...], ...]:
    """Return the steps of several."""
    return tuple(map(pattern, texts))


def touches(change: FieldChange, steps: Sequence[str]) -> bool:
    """Return whether the change lies at or under the pattern, or is of a part that holds such a field."""
    return under(change.path, steps) or _holds(change, steps)


def touches_any(change: FieldChange, every: Iterable[Sequence[str]]) -> bool:
    """Return whether the change touches one of the patterns."""
    return any(touches(change, steps) for steps in every)


def under(path: Path, steps: Sequence[str]) -> bool:
    """Return whether the path is the pattern's, or below it."""
    return len(path) >= len(steps) and _begins(path, steps)


def _begins(path: Path, steps: Sequence[str]) -> bool:
    return all(step in {ANY, str(part)} for part, step in zip(path, steps, strict=False))


def _holds(change: FieldChange, steps: Sequence[str]) -> bool:
    if len(change.path) >= len(steps) or not _begins(change.path, steps):
        return False
    value = change.before if change.change is Change.REMOVED else change.after
    return _has(value, steps[len(change.path) :])


def _has(value: Value, steps: Sequence[str]) -> bool:
    if not steps:
        return True
    head, rest = steps[0], steps[1:]
    if head == ANY:
        inside = value.values() if isinstance(value, Mapping) else value
        return (
            isinstance(inside, Iterable)
            and not isinstance(inside, str)
            and any(_has(e, rest) for e in inside)
        )
    return isinstance(value, Mapping) and head in value and _has(value[head], rest)
