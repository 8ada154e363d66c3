"""Two versions of one resource, field by field.

What is written differently is a change, as it is to the engine. None are another order of keys, an explicit
null for a field that is left out, and another order of items that are told apart by a key and lie outside of
a pod template. Text that holds settings is compared as settings, and every text that differs is a change
somewhere in it: what reads the object would see it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from comparison.changes import Change, FieldChange
from comparison.list_items import ABSENT, identities, paired_by_identity, paired_in_order
from comparison.nested_values import command_words, decoded, is_list, is_mapping, options, structure
from comparison.secret_marks import is_mark
from resource_graph.values import Path

_COMMANDS = frozenset({"args", "command"})
_BASE64 = "userData"
_TEMPLATES = frozenset({"extraPodSpec", "podTemplate", "template", "volumeClaimTemplates"})
"""Below these another order of named items is another template, to which pods are started anew."""


def field_changes(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[FieldChange, ...]:
    """Return every field that differs, in the order of the paths.

    Args:
        before: the inputs of the older version, with marks in place of secrets.
        after: those of the newer one.

    """
    return tuple(_mappings((), before, after))


def _values(path: Path, before: object, after: object) -> Iterator[FieldChange]:
    # Nearly all of two recordings is alike, and to ask so is a tenth of the walk. Equality takes 1 for True.
    if repr(before) == repr(after):
        return
    if is_mark(before) or is_mark(after):
        yield _change(path, before, after)
    elif is_mapping(before) and is_mapping(after):
        yield from _mappings(path, before, after)
    elif is_list(before) and is_list(after):
        yield from _lists(path, before, after)
    elif isinstance(before, str) and isinstance(after, str):
        yield from _texts(path, before, after)
    else:
        yield _change(path, before, after)


def _mappings(path: Path, before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[FieldChange]:
    for key in sorted({*before, *after}):
        old, new = (ABSENT if side.get(key) is None else side[key] for side in (before, after))
        yield from _values((*path, key), old, new)


def _lists(path: Path, before: Sequence[object], after: Sequence[object]) -> Iterator[FieldChange]:
    named = _command(path, before, after) if _name(path) in _COMMANDS else None
    if named is not None:
        yield from named
        return
    labels = identities(before, after)
    if labels is None:
        for position, *values in paired_in_order(before, after):
            yield from _values((*path, position), *values)
        return
    old, new = labels
    for label, *values in paired_by_identity(old, before, new, after):
        yield from _values((*path, label), *values)
    is_in_template = not _TEMPLATES.isdisjoint(path)
    if is_in_template and _in_both(old, new) != _in_both(new, old):
        yield FieldChange(path=path, change=Change.CHANGED, before=list(old), after=list(new))


def _command(path: Path, before: Sequence[object], after: Sequence[object]) -> tuple[FieldChange, ...] | None:
    """Return the options that differ; None where the words are not known as options, or only their order."""
    if not (_are_texts(before) and _are_texts(after)):
        return None
    old, new = options(before), options(after)
    if old is None or new is None:
        return None
    return tuple(_mappings(path, old, new)) or None


def _texts(path: Path, before: str, after: str) -> Iterator[FieldChange]:
    if _name(path) in _COMMANDS:
        old_words, new_words = command_words(before), command_words(after)
        named = _command(path, old_words, new_words) if old_words and new_words else None
        if named is not None:
            yield from named
            return
    if _name(path) == _BASE64:
        before, after = decoded(before), decoded(after)
    old, new = structure(before), structure(after)
    inside = () if old is None or new is None else tuple(_values(path, old, new))
    yield from inside or (_change(path, before, after),)


def _name(path: Path) -> str:
    """Return the nearest field around."""
    return next((part for part in reversed(path) if isinstance(part, str)), "")


def _change(path: Path, before: Any, after: Any) -> FieldChange:
    change = Change.ADDED if before is ABSENT else Change.REMOVED if after is ABSENT else Change.CHANGED
    old, new = (None if value is ABSENT else value for value in (before, after))
    # What is a secret on one side says too much in plain on the other.
    is_secret = is_mark(before) or is_mark(after)
    return FieldChange(path=path, change=change, before=old, after=new, is_secret=is_secret)


def _are_texts(words: Sequence[object]) -> TypeGuard[Sequence[str]]:
    return all(isinstance(word, str) for word in words)


def _in_both(labels: Sequence[str], others: Sequence[str]) -> list[str]:
    kept = set(others)
    return [label for label in labels if label in kept]
