"""The largest size of a comment: sections are left out as a whole, and counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from stacks.wording import in_words

_BETWEEN = "\n\n"
_LONGEST_FOOTER = 300
"""Bytes of what says how much was left out."""


class Rank(IntEnum):
    """What goes first where not everything fits."""

    OBJECT = 0
    URGENT_OBJECT = 1
    """Deleted, replaced or refused."""
    NOTICES = 2
    FACTS = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a comment that is shown whole or not at all."""

    stack: str
    rank: Rank
    text: str


def fitted(first: str, sections: Sequence[Section], most: int) -> str:
    """Return the first screen and the sections that fit, in their order, below what was left out.

    Sections of the lowest rank go first, of one rank the biggest: so the most of them stay. The first screen
    is always whole; it must be smaller than the limit by itself.

    Args:
        first: what is never left out.
        sections: the rest.
        most: bytes of UTF-8 that the result has at most.

    """
    going = sorted(range(len(sections)), key=lambda index: _order(sections[index], index))
    left = set(range(len(sections)))
    size = _bytes(first) + sum(_bytes(each.text) + len(_BETWEEN) for each in sections)
    for index in going:
        room = most if len(left) == len(sections) else most - _LONGEST_FOOTER
        if size < room:
            break
        left.remove(index)
        size -= _bytes(sections[index].text) + len(_BETWEEN)
    dropped = [each for index, each in enumerate(sections) if index not in left]
    kept = [each.text for index, each in enumerate(sections) if index in left]
    footer = [_left_out(dropped)] if dropped else []
    return _BETWEEN.join((first, *footer, *kept)) + "\n"


def _order(section: Section, index: int) -> tuple[int, int, int]:
    return section.rank, -_bytes(section.text), -index


def _left_out(dropped: Sequence[Section]) -> str:
    objects = [each for each in dropped if each.rank <= Rank.URGENT_OBJECT]
    others = len(dropped) - len(objects)
    parts: list[str] = []
    if objects:
        stacks = len({each.stack for each in objects})
        parts.append(f"{in_words(len(objects), 'more object')} of {in_words(stacks, 'stack')}")
    if others:
        parts.append(in_words(others, "more section"))
    verb = "is" if len(dropped) == 1 else "are"
    return f"**{' and '.join(parts)} {verb} in the artifact: there was no room here.**"


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))
