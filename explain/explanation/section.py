"""One thing that is said of a stack."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A title and its sentences; without sentences there is nothing to say, and nothing is shown."""

    title: str
    texts: tuple[str, ...]
