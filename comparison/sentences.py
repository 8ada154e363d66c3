"""Sentences in which the words of others are marked, so that each output can make them harmless."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quoted:
    """Text from a pull request, a recording or git: a terminal escapes it, a comment puts it into code."""

    text: str


Sentence = tuple[str | Quoted, ...]
"""Own words and quoted ones."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something to know of a stack."""

    label: str
    sentences: tuple[Sentence, ...]


def quoted(text: str) -> Quoted:
    """Return the text on one line: a message of several lines keeps its words."""
    return Quoted(" ".join(text.split()))


def listed(names: Sequence[str], most: int) -> Sentence:
    """Return at most so many names as a list, and how many more there are."""
    words: list[str | Quoted] = []
    for name in names[:most]:
        words += [", " if words else "", quoted(name)]
    more = len(names) - most
    return (*words, f" and {more} more") if more > 0 else tuple(words)
