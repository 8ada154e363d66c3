"""Two versions of one resource, field by field.

What an API server reads alike is no change: another order of keys, of items that are told apart by a key
and lie outside of a pod template, a default that is written out, another spelling of an amount. Text that
holds settings is compared as settings, and every text that differs is a change somewhere in it: what reads
the object would see it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeGuard

from comparison.changes import Change, FieldChange
from comparison.engine_verdicts.resource_types import Shape
from comparison.list_items import ItemPair, identities, pairs_by_content, pairs_by_identity, pairs_in_order
from comparison.nested_values import (
    command_words,
    decoded,
    is_list,
    is_mapping,
    options,
    same_scalar,
    structure,
)
from comparison.secret_marks import Secret, shown
from resource_graph.values import Path

_COMMANDS = frozenset({"args", "command"})
_DOCUMENTS = (".json", ".yaml", ".yml")
_BASE64 = frozenset({"userData"})


_ABSENT: Final = object()
"""No such key: a null is one to Kubernetes and to the engine too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Position:
    """Where the walk is, and how values there are compared."""

    path: Path = ()
    shape: Shape | None = None
    keeps_order: bool = True
    is_amount: bool = False
    drops_empty: bool = False
    in_command: bool = False

    @property
    def name(self) -> str:
        """The nearest field around."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    @property
    def is_document(self) -> bool:
        """Whether the name is one of a file with settings."""
        return self.name.endswith(_DOCUMENTS)

    def below(self, key: str) -> "_Position":
        """Return the place of a field."""
        shape = self.shape.part(key) if self.shape else None
        return replace(
            self,
            path=(*self.path, key),
            shape=shape,
            keeps_order=self._order(shape),
            drops_empty=self.drops_empty or (shape is not None and shape.drops_empty),
            is_amount=self.is_amount or (self.shape is not None and key in self.shape.amounts),
            in_command=key in _COMMANDS,
        )

    def item(self, label: str | int) -> "_Position":
        """Return the place of an item of the list."""
        return replace(self, path=(*self.path, label))

    def _order(self, shape: Shape | None) -> bool:
        if shape is None or shape.keeps_order is None:
            return self.keeps_order
        return shape.keeps_order

    def text(self) -> "_Position":
        """Return the place of what a text holds, of which no API server knows anything."""
        return _Position(path=self.path)


def field_changes(
    before: Mapping[str, object], after: Mapping[str, object], shape: Shape | None
) -> tuple[FieldChange, ...]:
    """Return every field that differs, in the order of the paths.

    Args:
        before: the inputs of the older version, secrets in `Secret`.
        after: those of the newer one.
        shape: what is known of both; None: nothing, and every difference but the order of keys counts.

    """
    place = _Position(
        shape=shape,
        keeps_order=shape is None or shape.keeps_order is not False,
        drops_empty=shape is not None and shape.drops_empty,
    )
    return tuple(_mappings(place, before, after))


def _values(place: _Position, before: object, after: object) -> Iterator[FieldChange]:
    # Nearly all of two recordings is alike, and to ask so is a tenth of the walk. Equality takes 1 for True.
    if repr(before) == repr(after):
        return
    if isinstance(before, Secret) or isinstance(after, Secret):
        yield _change(place, before, after, is_secret=True)
    elif is_mapping(before) and is_mapping(after):
        yield from _mappings(place, before, after)
    elif is_list(before) and is_list(after):
        yield from _lists(place, before, after)
    elif isinstance(before, str) and isinstance(after, str) and not place.is_amount:
        yield from _texts(place, before, after)
    elif _is_empty(place, before) and _is_empty(place, after):
        return
    elif (
        _is_container(before)
        or _is_container(after)
        or not same_scalar(before, after, is_amount=place.is_amount)
    ):
        yield _change(place, before, after)


def _mappings(
    place: _Position, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[FieldChange]:
    for key in sorted({*before, *after}):
        below = place.below(key)
        old, new = _or_absent(before.get(key)), _or_absent(after.get(key))
        if (old is _ABSENT) == (new is _ABSENT):
            yield from _values(below, old, new)
            continue
        filled = _or_default(place, key, old), _or_default(place, key, new)
        inside = tuple(_values(below, *filled))
        if all(is_mapping(value) and value for value in filled):
            # Inside of what the server fills in, a few fields differ.
            yield from inside
        elif inside:
            yield _change(below, old, new)


def _lists(place: _Position, before: Sequence[object], after: Sequence[object]) -> Iterator[FieldChange]:
    if place.in_command:
        named = _command(place, before, after)
        if named is not None:
            yield from named
            return
    old, new = identities(place.name, before), identities(place.name, after)
    if old is None or new is None:
        pairs = pairs_in_order if place.keeps_order else pairs_by_content
        yield from _items(place, pairs(before, after), before, after)
        return
    yield from _items(place, pairs_by_identity(old, new), before, after)
    if place.keeps_order and _in_both(old, new) != _in_both(new, old):
        yield FieldChange(path=place.path, change=Change.CHANGED, before=list(old), after=list(new))


def _items(
    place: _Position, pairs: Iterator[ItemPair], before: Sequence[object], after: Sequence[object]
) -> Iterator[FieldChange]:
    for label, old_at, new_at in pairs:
        old = _ABSENT if old_at is None else before[old_at]
        new = _ABSENT if new_at is None else after[new_at]
        inside = place.item(label)
        if old is _ABSENT or new is _ABSENT:
            yield _change(inside, old, new)
        else:
            yield from _values(inside, old, new)


def _command(
    place: _Position, before: Sequence[object], after: Sequence[object]
) -> tuple[FieldChange, ...] | None:
    """Return the options that differ; None where the words are not known as options, or only their order."""
    if not (_are_texts(before) and _are_texts(after)):
        return None
    old, new = options(before), options(after)
    if old is None or new is None:
        return None
    return tuple(_mappings(place.text(), old, new)) or None


def _texts(place: _Position, before: str, after: str) -> Iterator[FieldChange]:
    if place.in_command:
        old_words, new_words = command_words(before), command_words(after)
        named = _command(place, old_words, new_words) if old_words and new_words else None
        if named is not None:
            yield from named
            return
    if place.name in _BASE64:
        before, after = decoded(before) or before, decoded(after) or after
    old, new = (structure(text, is_document=place.is_document) for text in (before, after))
    if old is not None and new is not None:
        inside = tuple(_values(place.text(), old, new))
        if inside:
            yield from inside
            return
    yield _change(place, before, after)


def _change(place: _Position, before: object, after: object, *, is_secret: bool = False) -> FieldChange:
    change = Change.ADDED if before is _ABSENT else Change.REMOVED if after is _ABSENT else Change.CHANGED
    # What is a secret on one side says too much in plain on the other.
    sides = (Secret(value) if is_secret and value is not _ABSENT else value for value in (before, after))
    old, new = (None if value is _ABSENT else shown(value) for value in sides)
    return FieldChange(path=place.path, change=change, before=old, after=new, is_secret=is_secret)


def _or_absent(value: object) -> object:
    return _ABSENT if value is None else value


def _or_default(place: _Position, key: str, value: object) -> object:
    if value is not _ABSENT or place.shape is None:
        return value
    return _or_absent(place.shape.defaults.get(key))


def _is_container(value: object) -> bool:
    return is_mapping(value) or is_list(value)


def _is_empty(place: _Position, value: object) -> bool:
    # An absent list and an empty one are equal to apiequality.Semantic, and AWS stores neither.
    is_nothing = is_list(value) or (place.drops_empty and is_mapping(value))
    return value is _ABSENT or (is_nothing and not value)


def _are_texts(words: Sequence[object]) -> TypeGuard[Sequence[str]]:
    return all(isinstance(word, str) for word in words)


def _in_both(labels: Sequence[str], others: Sequence[str]) -> list[str]:
    kept = set(others)
    return [label for label in labels if label in kept]
