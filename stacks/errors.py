"""What a person reads when the settings of a stack cannot be used."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from resource_graph.spelling import nearest

NOTHING_DONE = "nothing was created or changed"
"""Ends the message of what is refused before anything is registered."""
_MAX_VALUE_LENGTH = 60
_MAX_PROBLEMS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, with everything that is needed to put it right."""

    key: str
    """Dotted path below `dynamo-stack:settings`; empty for the file as a whole."""

    value: object
    """What stands there; None where nothing does."""

    message: str

    allowed: str | None = None
    """What may stand there instead."""

    suggestion: str | None = None
    """The likeliest intention, as an instruction."""

    def text(self, file: str) -> str:
        """Return the block that is printed for this problem of the file."""
        key = self.key if self.key.isprintable() else repr(self.key)
        place = f"{file}: {key}" if key else file
        shown = f"{place} = {_shorten(self.value)}" if self.value is not None else place
        lines = [f"  {self.message}"]
        if self.allowed:
            lines.append(f"  allowed: {self.allowed}")
        if self.suggestion:
            lines.append(f"  try: {self.suggestion}")
        return "\n".join([shown, *lines])


def unknown_name(key: str, value: str, message: str, known: Collection[str]) -> Problem:
    """Return the problem with a name that is none of those that are known."""
    return Problem(key, value, message, allowed=", ".join(known), suggestion=nearest(value, known))


class SettingsError(Exception):
    """The settings cannot be used; `str()` is the complete text for a person.

    Every problem that was found is reported at once: a person who fixes one typo should not meet the
    next one only after another preview.

    Args:
        problems: by the file to open, as the person would name it.

    """

    def __init__(self, problems: Mapping[str, Iterable[Problem]]) -> None:
        self.problems = {file: tuple(found) for file, found in problems.items()}
        self.texts = [problem.text(file) for file, found in self.problems.items() for problem in found]
        if not self.texts:
            raise ValueError("a SettingsError needs at least one problem")
        blocks = self.texts[:_MAX_PROBLEMS_SHOWN]
        hidden = len(self.texts) - _MAX_PROBLEMS_SHOWN
        if hidden > 0:
            blocks.append(f"… and {hidden} more; these first.")
        super().__init__("\n".join(blocks))


def _shorten(value: object) -> str:
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    shown = repr(value) if isinstance(value, str) else shown
    return shown if len(shown) <= _MAX_VALUE_LENGTH else f"{shown[: _MAX_VALUE_LENGTH - 1]}…"
