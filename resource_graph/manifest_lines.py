"""The line of a field in a YAML document, found by reading the document again: few lines are asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, cast

import yaml

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the inputs down: ("env", 0, "value")."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LARGEST = 1_000_000
"""Characters of a document in which lines are looked for; a larger one is no person's."""
_KEPT = 4
"""Documents whose lines are remembered; findings come document by document."""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document in the text of its file."""

    text: str
    """Text of the whole file, which all its documents share."""
    line: int
    """Line of the document's first key, counted from 1."""
    start: int
    """Position of that key in the text."""
    end: int

    def has(self, path: Path) -> bool:
        """Whether the field itself is written in the text."""
        return self.end - self.start <= _LARGEST and path in _lines(self)

    def line_of(self, path: Path) -> int:
        """Line of the field; of the nearest around it where an alias or a merge stands for it."""
        if not path or self.end - self.start > _LARGEST:
            return self.line
        lines = _lines(self)
        written = next((path[:length] for length in range(len(path), 0, -1) if path[:length] in lines), None)
        return self.line if written is None else self.line + lines[written]


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end is not read yet."""

    path: Path
    position: int | None
    """Position of the next item; None in a mapping."""
    key: str | None = None
    """Key of the value that comes next in a mapping; None where a key comes."""


@lru_cache(maxsize=_KEPT)
def _lines(document: DocumentText) -> Mapping[Path, int]:
    """Path of each field and item -> its line, counted from 0 at the document's first."""
    lines: dict[Path, int] = {}
    opened: list[_Open] = []
    # A document may begin behind blanks, which belong to its indentation.
    begin = document.text.rfind("\n", 0, document.start) + 1
    for event in _events(document.text[begin : document.end]):
        inner = opened[-1] if opened else None
        if isinstance(event, yaml.CollectionEndEvent):
            opened.pop()
            continue
        if inner is not None and inner.position is None and inner.key is None:
            # A key that is an alias names no field that can be asked for.
            key = cast("str", event.value) if isinstance(event, yaml.ScalarEvent) else ""
            inner.key = key
            lines.setdefault((*inner.path, key), _line(event))
            continue
        path = _next_path(inner)
        if inner is not None and inner.position is not None:
            lines[path] = _line(event)
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append(_Open(path, 0 if isinstance(event, yaml.SequenceStartEvent) else None))
    return lines


def _next_path(inner: _Open | None) -> Path:
    """Return the path of the value that begins now."""
    if inner is None:
        return ()
    if inner.position is None:
        path = (*inner.path, inner.key or "")
        inner.key = None
        return path
    position, inner.position = inner.position, inner.position + 1
    return (*inner.path, position)


def _events(text: str) -> Iterator[yaml.Event]:
    loader = _Loader(text)
    try:
        while loader.check_event():
            event = loader.get_event()
            if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
                yield event
    finally:
        loader.dispose()


def _line(event: yaml.Event) -> int:
    return cast("int", cast("Any", event).start_mark.line)
