"""Numbers and choices in sentences."""

from collections.abc import Sequence


def in_words(number: int, noun: str) -> str:
    """Return the number with its noun, in the plural unless it is one: 1 GPU, 4 GPUs."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def alternatives(words: Sequence[str]) -> str:
    """Return the words as a choice: own, bundled or external."""
    return _joined(words, "or")


def all_of(words: Sequence[str]) -> str:
    """Return the words as a list: nodes, GPUs and memory."""
    return _joined(words, "and")


def _joined(words: Sequence[str], last: str) -> str:
    if len(words) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
