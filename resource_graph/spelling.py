"""How far a word is from one that would have been right, and which one was most likely meant."""

import difflib
from collections.abc import Iterable

SLIPS = 2
"""Letters by which a name may differ from a known one that nothing else can mean."""
_FEWEST_LETTERS = 4
_ALIKE = 0.6


def edits_apart(left: str, right: str) -> int:
    """Letters to insert, leave out, replace or swap with their neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, start=1):
        before, last, row = row, before, [i]
        for j, other in enumerate(right, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def slip_of(word: str, known: Iterable[str], edits: int = 1) -> str | None:
    """The known word that so few edits lead to; None for short words, which are alike anyway."""
    if len(word.lstrip("-")) < _FEWEST_LETTERS:
        return None
    near = [name for name in sorted(known) if abs(len(name) - len(word)) <= edits and name != word]
    return next((name for name in near if edits_apart(word, name) <= edits), None)


def most_alike(word: str, known: Iterable[str], likeness: float = _ALIKE) -> str | None:
    """The known word most like this one, in small letters or large; None when none is alike.

    `likeness`: from 0, with which any word will do, to 1, as difflib measures it.
    """
    words = {each.lower(): each for each in known}
    found = difflib.get_close_matches(word.lower(), words, n=1, cutoff=likeness)
    return words[found[0]] if found else None


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The word that a person most likely meant: the only one that begins so, or else the most alike."""
    words = list(known)
    started = [each for each in words if word and each.lower().startswith(word.lower())]
    return started[0] if len(started) == 1 else most_alike(word, words)


def hint(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the one that may have been meant; empty without one."""
    near = most_alike(word, sorted(known))
    return f"; the nearest is {near}" if near else ""
