"""YAML documents with line numbers, read the way a Kubernetes client reads them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

import yaml

from resource_graph.values import Path, Value

_MAXIMUM_VALUES = 1_000_000
"""No honest manifest is larger; a few hundred bytes of nested aliases can be."""
_MAXIMUM_DEPTH = 200
"""Depth that no honest manifest reaches; walking a deeper one would exceed the recursion limit."""

# The parser in C takes a tenth of the time. Only its events are used: what composes nodes from them recurses
# in C, and ends the process on a text of fifty thousand hyphens.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = "tag:yaml.org,2002:null"
_TEXT = "tag:yaml.org,2002:str"
_PLAIN_TAGS = frozenset({_NULL, *(f"tag:yaml.org,2002:{name}" for name in ("bool", "int", "float"))})
_FLOAT = "tag:yaml.org,2002:float"
_EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")
_MERGE = "<<"
_MERGE_TAG = "tag:yaml.org,2002:merge"
"""As `pulumi config set` writes it when it rewrites a stack file."""


class Written(NamedTuple):
    """Where a field or an item is written, and the fields or items inside it."""

    line: int
    """Counted from 1 in the file."""
    inside: "Mapping[str | int, Written]"
    """By key or position; none where an alias stands."""

    def nearest(self, path: Path) -> tuple[int, bool]:
        """Line of the field, and whether it is its own: else an alias, a merge or nothing stands for it."""
        found = self
        for part in path:
            if part not in found.inside:
                return found.line, False
            found = found.inside[part]
        return found.line, True


_NOTHING: "Mapping[str | int, Written]" = MappingProxyType({})
_Read = tuple[Value, "Mapping[str | int, Written]"]
"""A value, and where its fields or items are written."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One non-empty document."""

    number: int
    """Counted from 1, empty documents included."""
    content: Value
    written: Written


class YamlProblem(Exception):  # noqa: N818 - becomes an error only together with the file's name
    """Why a document cannot be read."""

    def __init__(self, document: int, line: int, message: str) -> None:
        super().__init__(message)
        self.document = document
        self.line = line


Resolve = Callable[[yaml.ScalarEvent], Value]


def read_documents(text: str, resolve: Resolve | None = None) -> Iterator[YamlDocument]:
    """The documents of one file.

    Args:
        text: of the file.
        resolve: what a scalar or a key means, and a ValueError with the reason where it has no meaning; None:
            as Kubernetes' clients read it.

    Raises:
        YamlProblem: with the document and the line where reading ended.
    """
    events = _Events(text)
    try:
        while not isinstance(event := events.next(), yaml.StreamEndEvent):
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            events.document += 1
            first = events.next()
            content, inside = _Reading(events, resolve).value(first, 1)
            if not _is_empty(first):
                yield YamlDocument(events.document, content, Written(_line(first), inside))
    finally:
        events.close()


def _is_empty(event: yaml.Event) -> bool:
    return isinstance(event, yaml.ScalarEvent) and _scalar_tag(event) == _NULL


class _Events:
    """What the parser sees, one after another."""

    def __init__(self, text: str) -> None:
        self.document = 0
        self._text = text
        try:
            self._loader = _Loader(text)
        except yaml.YAMLError as error:
            raise self._problem(error) from error

    def next(self) -> yaml.Event:
        try:
            return cast("yaml.Event", self._loader.get_event())
        except yaml.YAMLError as error:
            raise self._problem(error) from error

    def close(self) -> None:
        self._loader.dispose()

    def _problem(self, error: yaml.YAMLError) -> YamlProblem:
        if isinstance(error, yaml.reader.ReaderError):
            line = self._text.encode().count(b"\n", 0, error.position) + 1
            return YamlProblem(max(1, self.document), line, f"not YAML: {error.reason}")
        if isinstance(error, yaml.MarkedYAMLError):
            mark = error.problem_mark or error.context_mark
            line = 1 if mark is None else mark.line + 1
            return YamlProblem(max(1, self.document), line, f"not YAML: {error.problem or error.context}")
        return YamlProblem(max(1, self.document), 1, f"not YAML: {error}")


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias stands for; measured, because an alias costs nothing to write."""

    value: Value
    values: int
    height: int


_IN_THE_MAKING: Final = object()


class _Reading:
    """One document."""

    def __init__(self, events: _Events, resolve: Resolve | None) -> None:
        self._events = events
        self._resolve = resolve
        self._values = 0
        self._deepest = 0
        self._anchors: dict[str, _Anchored | object] = {}

    def value(self, event: yaml.Event, depth: int) -> _Read:
        """The value that begins with the event."""
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, depth), _NOTHING
        self._count(event, 1, depth)
        anchor = cast("str | None", getattr(event, "anchor", None))
        if anchor is None:
            return self._plain(event, depth)
        values, deepest = self._values, self._deepest
        self._anchors[anchor], self._deepest = _IN_THE_MAKING, depth
        value, inside = self._plain(event, depth)
        self._anchors[anchor] = _Anchored(value, self._values - values + 1, self._deepest - depth)
        self._deepest = max(deepest, self._deepest)
        return value, inside

    def _plain(self, event: yaml.Event, depth: int) -> _Read:
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(depth + 1)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(depth + 1)
        return self._scalar(cast("yaml.ScalarEvent", event)), _NOTHING

    def _sequence(self, depth: int) -> _Read:
        items: list[Value] = []
        written: dict[str | int, Written] = {}
        while not isinstance(event := self._events.next(), yaml.SequenceEndEvent):
            value, inside = self.value(event, depth)
            written[len(items)] = Written(_line(event), inside)
            items.append(value)
        return items, written

    def _alias(self, event: yaml.AliasEvent, depth: int) -> Value:
        anchor = cast("str", event.anchor)
        target = self._anchors.get(anchor)
        if target is None:
            raise self._problem(event, f"not YAML: the alias *{anchor} stands for nothing")
        if not isinstance(target, _Anchored):
            raise self._problem(event, "an alias contains itself")
        self._count(event, target.values, depth + target.height)
        return target.value

    def _mapping(self, depth: int) -> _Read:
        merged: dict[str, Value] = {}
        own: dict[str, Value] = {}
        written: dict[str | int, Written] = {}
        while not isinstance(key_event := self._events.next(), yaml.MappingEndEvent):
            key = self._key(key_event, depth)
            value_event = self._events.next()
            value, inside = self.value(value_event, depth)
            if _is_merge(key_event):
                merged |= self._merged(value, value_event)
            elif key in own:
                raise self._problem(key_event, f"the key {key!r} stands twice in one mapping")
            else:
                own[key] = value
                written[key] = Written(_line(key_event), inside)
        return merged | own if merged else own, written

    def _merged(self, value: Value, event: yaml.Event) -> dict[str, Value]:
        sources = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        merged: dict[str, Value] = {}
        for source in reversed(sources):
            if not isinstance(source, Mapping):
                raise self._problem(event, "only mappings can be merged with <<")
            merged |= source
        return merged

    def _key(self, event: yaml.Event, depth: int) -> str:
        if isinstance(event, yaml.AliasEvent):
            key = self._alias(event, depth)
            if isinstance(key, str):
                return key
        elif isinstance(event, yaml.ScalarEvent):
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchored(event.value, 1, 0)
            key = event.value if self._resolve is None or _is_merge(event) else self._scalar(event)
            if isinstance(key, str):
                return key
        raise self._problem(event, "a key must be plain text")

    def _scalar(self, event: yaml.ScalarEvent) -> Value:
        if self._resolve is not None:
            try:
                return self._resolve(event)
            except ValueError as error:
                raise self._problem(event, str(error)) from error
        tag = _scalar_tag(event)
        if tag == _TEXT:
            return event.value
        try:
            value = _constructed(tag, event.value)
        except yaml.MarkedYAMLError as error:
            raise self._problem(event, f"not YAML: {error.problem}") from error
        except (ValueError, OverflowError) as error:
            raise self._problem(event, f"not YAML: {error}") from error
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise self._problem(event, f"a value of type {type(value).__name__} has no place in a manifest")

    def _count(self, event: yaml.Event, values: int, depth: int) -> None:
        self._values += values
        if self._values > _MAXIMUM_VALUES:
            raise self._problem(event, f"more than {_MAXIMUM_VALUES:,} values")
        self._deepest = max(self._deepest, depth)
        if depth > _MAXIMUM_DEPTH:
            raise self._problem(event, f"nested too deeply, more than {_MAXIMUM_DEPTH} levels")

    def _problem(self, event: yaml.Event, message: str) -> YamlProblem:
        return YamlProblem(self._events.document, _line(event), message)


def _line(event: Any) -> int:
    # Asked of every value, so without a cast, which is a call.
    line: int = event.start_mark.line
    return line + 1


def _is_merge(event: yaml.Event) -> bool:
    return (
        isinstance(event, yaml.ScalarEvent)
        and event.value == _MERGE
        and (event.tag == _MERGE_TAG or (event.tag is None and event.implicit[0]))
    )


def _scalar_tag(event: yaml.ScalarEvent) -> str:
    tag = cast("str | None", event.tag)
    if tag is not None and tag != "!":
        return tag
    plain, _ = cast("tuple[bool, bool]", event.implicit)
    return _plain_tag(event.value) if plain else _TEXT


# The same few words and numbers stand in every manifest.
@lru_cache(maxsize=4096)
def _plain_tag(text: str) -> str:
    if _EXPONENT.fullmatch(text):
        return _FLOAT
    tag = cast("str", cast("Any", yaml.SafeLoader("")).resolve(yaml.ScalarNode, text, (True, False)))
    # What Kubernetes' clients read with knows 1e5 as a number, and no longer knows 12:30 as one
    # (go-yaml/yaml resolve.go).
    if ":" in text:
        return _TEXT
    # A bare date stays text: JSON, which the API server speaks, has no dates.
    return tag if tag in _PLAIN_TAGS else _TEXT


@lru_cache(maxsize=4096)
def _constructed(tag: str, text: str) -> object:
    return cast("object", cast("Any", yaml.SafeLoader("")).construct_object(yaml.ScalarNode(tag, text)))
