"""The fields of a changed resource as lines of a diff, the same for a comment and a terminal."""

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence

from comparison.changes import Change, Effect, FieldChange, ResourceChange
from comparison.result import KNOWN_LATER
from resource_graph import Unknown, Value
from resource_graph.printable import dotted, one_line, printable

_CONTEXT_LINES = 2
_ONE_LINE = 100
"""Characters up to which a list or mapping stays on one line."""


def resource_lines(change: ResourceChange) -> tuple[str, ...]:
    """Return why the engine does what it does with a resource, then each field; no line holds a secret."""
    lines = [f"# {one_line(reason)}" for reason in change.reasons]
    if change.renamed_from is not None:
        lines.append(f"# was named {one_line(change.renamed_from)}")
    for field in change.fields:
        lines += _field_lines(field)
    return tuple(lines)


def in_one_line(value: Value) -> str:
    """Return a value without its line ends, a list or mapping as JSON."""
    return one_line(value if isinstance(value, str) else _as_json(value))


def _field_lines(field: FieldChange) -> Iterator[str]:
    effect = "" if field.effect is Effect.IN_PLACE else f" ({field.effect.value})"
    yield f"@@ {dotted(field.path)}{effect} @@"
    if field.is_secret:
        yield f"! {field.change.value}: a secret, which is not shown"
        return
    before, after = field.before, field.after
    if field.change is Change.CHANGED and _has_lines(before) and _has_lines(after):
        yield from _changed_lines(str(before), str(after))
        return
    if field.change is not Change.ADDED:
        yield from (f"- {line}" for line in _value_lines(before))
    if field.change is not Change.REMOVED:
        yield from (f"+ {line}" for line in _value_lines(after))


def _has_lines(value: Value) -> bool:
    return isinstance(value, str) and "\n" in value


def _changed_lines(before: str, after: str) -> Iterable[str]:
    old, new = _text_lines(before), _text_lines(after)
    # The first two name files, of which there are none.
    lines = list(difflib.unified_diff(old, new, n=_CONTEXT_LINES, lineterm=""))[2:]
    return lines or ["! only the ends of lines differ"]


def _value_lines(value: Value) -> Sequence[str]:
    if isinstance(value, Unknown):
        return (KNOWN_LATER,)
    if isinstance(value, str):
        return _text_lines(value) if _has_lines(value) else (one_line(value),)
    short = _as_json(value)
    if len(short) <= _ONE_LINE:
        return (one_line(short),)
    return _text_lines(_as_json(value, indent=2))


def _as_json(value: Value, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, default=lambda _: KNOWN_LATER, sort_keys=True, indent=indent)


def _text_lines(text: str) -> list[str]:
    return printable(text).split("\n")
