"""YAML documents with line numbers, read the way a Kubernetes client reads them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, cast

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
NOT_YAML = "not YAML: "
"""Begins the message of what no parser reads."""


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
    reader = _Reader(text, resolve)
    while not isinstance(event := reader.next(), yaml.StreamEndEvent):
        if not isinstance(event, yaml.DocumentStartEvent):
            continue
        first = reader.next()
        content, inside = reader.value(first)
        if not isinstance(first, yaml.ScalarEvent) or _scalar_tag(first) != _NULL:
            yield YamlDocument(reader.document, content, Written(_line(first), inside))


def check_limits(text: str) -> None:
    """Look through a text before a parser of another kind reads it, for what would fill the memory.

    Raises:
        YamlProblem: it is nested too deeply, stands for too many values, or is no YAML.
    """
    reader = _Reader(text)
    while not isinstance(reader.next(), yaml.StreamEndEvent):
        continue


class _Reader:
    """The values of a text, one event after another, as far as it stays within what anybody may write."""

    def __init__(self, text: str, resolve: Resolve | None = None) -> None:
        self.document = 0
        self._text = text
        self._resolve = resolve
        self._values = 0
        self._anchored: dict[str, Value] = {}
        self._around: list[tuple[str | None, int]] = []
        """Anchors of the collections around what comes next, and the values before each."""
        self._heights = [0]
        """Levels in the document, and in each of these collections, so far."""
        self._sizes: dict[str | None, tuple[int, int] | None] = {}
        """Anchor -> values and levels that it stands for, as an alias costs nothing to write; None while it
        is read."""
        try:
            self._loader = _Loader(text)
        except yaml.YAMLError as error:
            raise self._problem(error) from error

    def next(self) -> yaml.Event:
        try:
            event = cast("yaml.Event", self._loader.get_event())
        except yaml.YAMLError as error:
            raise self._problem(error) from error
        self._measure(event)
        return event

    def refused(self, event: yaml.Event, message: str) -> YamlProblem:
        return YamlProblem(max(1, self.document), _line(event), message)

    def _measure(self, event: yaml.Event) -> None:
        anchor = cast("str | None", getattr(event, "anchor", None))
        size: tuple[int, int] | None = (1, 0)
        if isinstance(event, yaml.DocumentStartEvent):
            self.document += 1
            self._values = 0
            self._sizes = {}
            self._anchored = {}
        elif isinstance(event, yaml.NodeEvent):
            if isinstance(event, yaml.AliasEvent):
                size = self._sizes.get(anchor, size)
            if size is None:
                raise self.refused(event, "an alias contains itself")
            self._check(event, *size)
            if isinstance(event, yaml.CollectionStartEvent):
                self._around.append((anchor, self._values - 1))
                self._heights.append(0)
                size = None
            else:
                self._heights[-1] = max(self._heights[-1], size[1] + 1)
            self._sizes[anchor] = size
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = self._around.pop()
            height = self._heights.pop()
            self._sizes[anchor] = self._values - before, height
            self._heights[-1] = max(self._heights[-1], height + 1)

    def _check(self, event: yaml.Event, values: int, height: int) -> None:
        self._values += values
        if self._values > _MAXIMUM_VALUES:
            raise self.refused(event, f"more than {_MAXIMUM_VALUES:,} values")
        if len(self._around) + height >= _MAXIMUM_DEPTH:
            raise self.refused(event, f"nested too deeply, more than {_MAXIMUM_DEPTH} levels")

    def _problem(self, error: yaml.YAMLError) -> YamlProblem:
        if isinstance(error, yaml.reader.ReaderError):
            line = self._text.encode().count(b"\n", 0, error.position) + 1
            return YamlProblem(max(1, self.document), line, f"{NOT_YAML}{error.reason}")
        if isinstance(error, yaml.MarkedYAMLError):
            mark = error.problem_mark or error.context_mark
            line = 1 if mark is None else mark.line + 1
            return YamlProblem(max(1, self.document), line, f"{NOT_YAML}{error.problem or error.context}")
        return YamlProblem(max(1, self.document), 1, f"{NOT_YAML}{error}")

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
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping()
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence()
        return self._scalar(cast("yaml.ScalarEvent", event)), _NOTHING

    def _sequence(self) -> _Read:
        items: list[Value] = []
        written: dict[str | int, Written] = {}
        while not isinstance(event := self.next(), yaml.SequenceEndEvent):
            value, inside = self.value(event)
            written[len(items)] = Written(_line(event), inside)
            items.append(value)
        return items, written

    def _alias(self, event: yaml.AliasEvent) -> Value:
        anchor = cast("str", event.anchor)
        if anchor not in self._anchored:
            raise self.refused(event, f"{NOT_YAML}the alias *{anchor} stands for nothing")
        return self._anchored[anchor]

    def _mapping(self) -> _Read:
        merged: dict[str, Value] = {}
        own: dict[str, Value] = {}
        written: dict[str | int, Written] = {}
        while not isinstance(key_event := self.next(), yaml.MappingEndEvent):
            key = self._key(key_event)
            value_event = self.next()
            value, inside = self.value(value_event)
            if _is_merge(key_event):
                merged |= self._merged(value, value_event)
            elif key in own:
                raise self.refused(key_event, f"the key {key!r} stands twice in one mapping")
            else:
                own[key] = value
                written[key] = Written(_line(key_event), inside)
        return merged | own if merged else own, written

    def _merged(self, value: Value, event: yaml.Event) -> dict[str, Value]:
        sources = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        merged: dict[str, Value] = {}
        for source in reversed(sources):
            if not isinstance(source, Mapping):
                raise self.refused(event, "only mappings can be merged with <<")
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
        raise self.refused(event, "a key must be plain text")

    def _scalar(self, event: yaml.ScalarEvent) -> Value:
        if self._resolve is not None:
            try:
                return self._resolve(event)
            except ValueError as error:
                raise self.refused(event, str(error)) from error
        tag = _scalar_tag(event)
        if tag == _TEXT:
            return event.value
        try:
            value = _constructed(tag, event.value)
        except yaml.MarkedYAMLError as error:
            raise self.refused(event, f"{NOT_YAML}{error.problem}") from error
        except (ValueError, OverflowError) as error:
            raise self.refused(event, f"{NOT_YAML}{error}") from error
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise self.refused(event, f"a value of type {type(value).__name__} has no place in a manifest")


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
