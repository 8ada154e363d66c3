"""One thing that is said of a stack."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A title and its sentences; without sentences there is nothing to say, and nothing is shown."""

    title: str
    texts: tuple[str, ...]


def section(title: str, texts: Iterable[str]) -> Section:
    """Return the section of sentences that are worked out one by one."""
    return Section(title, tuple(texts))
