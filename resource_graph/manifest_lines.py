"""In which line of a YAML document a field stands. Few are asked for, so none is kept in advance."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import yaml

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the inputs down: ("env", 0, "value")."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STARTS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_ENDS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document in the text of its file."""

    text: str
    """Of the whole file, which all its documents share."""
    line: int
    """Of the document's first key, counted from 1."""
    start: int
    """Position of that key in the text."""
    end: int

    def line_of(self, path: Path) -> int:
        """Line of the field; of the nearest around it where an alias or a merge stands for it."""
        # A document may begin behind blanks, which belong to its indentation.
        begin = self.text.rfind("\n", 0, self.start) + 1
        events = _events(self.text[begin : self.end])
        line = 0
        event = next(
            event
            for event in events
            if not isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent)
        )
        for step in path:
            found = _key(events, event, step) if isinstance(step, str) else _item(events, event, step)
            if found is None:
                break
            line, event = found
        return self.line + line


def _key(events: Iterator[yaml.Event], event: yaml.Event, name: str) -> tuple[int, yaml.Event] | None:
    """Line of the key, and the event with which its value begins; None where the mapping has no such key."""
    if not isinstance(event, yaml.MappingStartEvent):
        return None
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        value = next(events)
        if isinstance(key, yaml.ScalarEvent) and key.value == name:
            return _line(key), value
        _skip(events, value)
    return None


def _item(events: Iterator[yaml.Event], event: yaml.Event, position: int) -> tuple[int, yaml.Event] | None:
    if not isinstance(event, yaml.SequenceStartEvent):
        return None
    while not isinstance(item := next(events), yaml.SequenceEndEvent):
        if position == 0:
            return _line(item), item
        position -= 1
        _skip(events, item)
    return None


def _skip(events: Iterator[yaml.Event], event: yaml.Event) -> None:
    depth = 1 if isinstance(event, _STARTS) else 0
    while depth:
        event = next(events)
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)


def _events(text: str) -> Iterator[yaml.Event]:
    loader = _Loader(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _line(event: yaml.Event) -> int:
    return cast("int", cast("Any", event).start_mark.line)
