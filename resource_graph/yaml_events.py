"""The events of a YAML text, as far as it stays within what anybody may write."""

from typing import Any, cast

import yaml

_MAXIMUM_VALUES = 1_000_000
"""No honest manifest is larger; a few hundred bytes of nested aliases can be."""
_MAXIMUM_DEPTH = 200
"""Depth that no honest manifest reaches; walking a deeper one would exceed the recursion limit."""

# The parser in C takes a tenth of the time. Only its events are used: what composes nodes from them recurses
# in C, and ends the process on a text of fifty thousand hyphens.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
NOT_YAML = "not YAML: "
"""Begins the message of what no parser reads."""


class YamlProblem(Exception):  # noqa: N818 - becomes an error only together with the file's name
    """Why a document cannot be read."""

    def __init__(self, document: int, line: int, message: str) -> None:
        super().__init__(message)
        self.document = document
        self.line = line


def check_limits(text: str) -> None:
    """Look through a text before a parser of another kind reads it, for what would fill the memory.

    Raises:
        YamlProblem: it is nested too deeply, stands for too many values, or is no YAML.
    """
    events = BoundedEvents(text)
    while not isinstance(events.next(), yaml.StreamEndEvent):
        continue


class BoundedEvents:
    """Events one after another, until the text is nested too deeply or stands for too many values."""

    def __init__(self, text: str) -> None:
        self.document = 0
        """Number of the document that is read, counted from 1."""
        self._text = text
        self._values = 0
        self._around: list[tuple[str | None, int]] = []
        """Anchors of the collections around what comes next, and the values before each."""
        self._heights = [0]
        """Levels in the document, and in each of these collections, so far."""
        self._sizes: dict[str | None, tuple[int, int] | None] = {}
        """Anchor -> values and levels that it stands for, as an alias costs nothing to write; None while it
        is read."""
        self._events: Any = cast("Any", yaml).parse(text, Loader=_Loader)

    def next(self) -> yaml.Event:
        """The next event.

        Raises:
            YamlProblem: with the document and the line where reading ended.
        """
        try:
            event = cast("yaml.Event", next(self._events))
        except yaml.YAMLError as error:
            raise self._problem(error) from error
        self._measure(event)
        return event

    def refused(self, event: yaml.Event, message: str) -> YamlProblem:
        """The problem with what begins at the event."""
        return YamlProblem(max(1, self.document), line_of(event), message)

    def _measure(self, event: yaml.Event) -> None:
        anchor = cast("str | None", getattr(event, "anchor", None))
        size: tuple[int, int] | None = (1, 0)
        if isinstance(event, yaml.DocumentStartEvent):
            self.document += 1
            self._values = 0
            self._sizes = {}
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
            last = len(self._text.splitlines())
            # What is never closed is missed after the last line: where it begins says more.
            marks = [each.line + 1 for each in (error.problem_mark, error.context_mark) if each is not None]
            line = next((each for each in marks if each <= last), max(1, last))
            return YamlProblem(max(1, self.document), line, f"{NOT_YAML}{error.problem or error.context}")
        return YamlProblem(max(1, self.document), 1, f"{NOT_YAML}{error}")


def line_of(event: Any) -> int:
    """Line on which an event begins, counted from 1."""
    # Asked of every value, so without a cast, which is a call.
    return event.start_mark.line + 1
