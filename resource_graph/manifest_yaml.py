"""YAML documents with line numbers, read the way a Kubernetes client reads them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

import yaml

from resource_graph.values import Path, Value
from resource_graph.yaml_events import NOT_YAML, BoundedEvents, line_of

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
    """By key or position; none where an alias stands. Of a text behind |, by number of its line."""

    def nearest(self, path: Path) -> tuple[int, bool]:
        """Line of the field, and whether it is its own: else an alias, a merge or nothing stands for it."""
        found = self
        for part in path:
            if part not in found.inside:
                return found.line, False
            found = found.inside[part]
        return found.line, True


_NOTHING: "Mapping[str | int, Written]" = {}
_Read = tuple[Value, "Mapping[str | int, Written]"]
"""A value, and where its fields or items are written."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One non-empty document."""

    number: int
    """Counted from 1, empty documents included."""
    content: Value
    written: Written


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
    events = BoundedEvents(text)
    while not isinstance(event := events.next(), yaml.StreamEndEvent):
        if not isinstance(event, yaml.DocumentStartEvent):
            continue
        first = events.next()
        content, inside = _Reader(events, resolve).value(first)
        if not isinstance(first, yaml.ScalarEvent) or _scalar_tag(first) != _NULL:
            yield YamlDocument(events.document, content, Written(line_of(first), inside))


class _Reader:
    """The values of one document."""

    def __init__(self, events: BoundedEvents, resolve: Resolve | None) -> None:
        self._events = events
        self._resolve = resolve
        self._anchored: dict[str, Value] = {}

    def value(self, event: yaml.Event) -> _Read:
        """The value that begins with the event."""
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event), _NOTHING
        anchor = cast("str | None", getattr(event, "anchor", None))
        value, inside = self._plain(event)
        if anchor is not None:
            self._anchored[anchor] = value
        return value, inside

    def _plain(self, event: yaml.Event) -> _Read:
        if self._resolve is not None and isinstance(event, yaml.CollectionStartEvent) and event.tag:
            raise self._events.refused(event, f"the tag {event.tag} gives a list or mapping no meaning here")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping()
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence()
        scalar = cast("yaml.ScalarEvent", event)
        inside: dict[str | int, Written] = {
            number: Written(line_of(event) + 1 + number, _NOTHING)
            for number in range(scalar.value.count("\n") + 1 if scalar.style == "|" else 0)
        }
        return self._scalar(scalar), inside or _NOTHING

    def _sequence(self) -> _Read:
        items: list[Value] = []
        written: dict[str | int, Written] = {}
        while not isinstance(event := self._events.next(), yaml.SequenceEndEvent):
            value, inside = self.value(event)
            written[len(items)] = Written(line_of(event), inside)
            items.append(value)
        return items, written

    def _alias(self, event: yaml.AliasEvent) -> Value:
        anchor = cast("str", event.anchor)
        if anchor not in self._anchored:
            raise self._events.refused(event, f"{NOT_YAML}the alias *{anchor} stands for nothing")
        return self._anchored[anchor]

    def _mapping(self) -> _Read:
        merged: dict[str, Value] = {}
        own: dict[str, Value] = {}
        written: dict[str | int, Written] = {}
        while not isinstance(key_event := self._events.next(), yaml.MappingEndEvent):
            key = self._key(key_event)
            value_event = self._events.next()
            value, inside = self.value(value_event)
            if _is_merge(key_event):
                merged |= self._merged(value, value_event)
            elif key in own:
                raise self._events.refused(key_event, f"the key {key!r} stands twice in one mapping")
            else:
                own[key] = value
                written[key] = Written(line_of(key_event), inside)
        return merged | own if merged else own, written

    def _merged(self, value: Value, event: yaml.Event) -> dict[str, Value]:
        sources = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        merged: dict[str, Value] = {}
        for source in reversed(sources):
            if not isinstance(source, Mapping):
                raise self._events.refused(event, "only mappings can be merged with <<")
            merged |= source
        return merged

    def _key(self, event: yaml.Event) -> str:
        if isinstance(event, yaml.AliasEvent):
            key = self._alias(event)
            if isinstance(key, str):
                return key
        elif isinstance(event, yaml.ScalarEvent):
            if event.anchor is not None:
                self._anchored[event.anchor] = event.value
            key = event.value if self._resolve is None or _is_merge(event) else self._scalar(event)
            if isinstance(key, str):
                return key
            raise self._events.refused(event, f"the key {event.value} is no text to YAML; quote it")
        raise self._events.refused(event, "a key must be plain text")

    def _scalar(self, event: yaml.ScalarEvent) -> Value:
        if self._resolve is not None:
            try:
                return self._resolve(event)
            except ValueError as error:
                raise self._events.refused(event, str(error)) from error
        tag = _scalar_tag(event)
        if tag == _TEXT:
            return event.value
        try:
            value = _constructed(tag, event.value)
        except (yaml.MarkedYAMLError, ValueError, OverflowError) as error:
            reason = error.problem if isinstance(error, yaml.MarkedYAMLError) else error
            raise self._events.refused(event, f"{NOT_YAML}{reason}") from error
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise self._events.refused(
            event, f"a value of type {type(value).__name__} has no place in a manifest"
        )


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


_PARTS = re.compile(r"[^.\[\]]+")


class SettingLines:
    """The lines of a stack's file, counted from 1.

    Args:
        text: of the file, which the program's own reader has taken.
        file: its name.
        top: key under `config` below which the settings stand.

    """

    def __init__(self, text: str, file: str, top: str) -> None:
        self.file = file
        self._top = ("config", top)
        self._written = next(document.written for document in read_documents(text))

    def of_setting(self, key: str) -> int:
        """Return the line of a setting such as `nodePools[0].zone`, or of the nearest around it."""
        return self._written.nearest(self._path(key))[0]

    def place_of(self, key: str) -> str | None:
        """Return file and line, Pulumi.dev.yaml:12; None where the file has no such setting."""
        line, is_own = self._written.nearest(self._path(key))
        return f"{self.file}:{line}" if is_own else None

    def _path(self, key: str) -> Path:
        parts: list[str] = _PARTS.findall(key)
        return (*self._top, *(int(part) if part.isdecimal() else part for part in parts))
