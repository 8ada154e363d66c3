"""Values of any kind: a mapping, a list or one value, when two of these are the same, and what a text holds.

A text holds settings as YAML or JSON, or the options of a command.
"""

import base64
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

from rules.reading.engines.settings import load_engine_yaml
from rules.reading.shapes import Undecided, attempted, quantity

_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_SWITCH = True


def is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether the value has fields."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether the value has items; a text has none."""
    return isinstance(value, (list, tuple))


def with_leaves(value: object, of_leaf: Callable[[object], object]) -> object:
    """Return mappings and lists as they are, with another value in the place of each value inside."""
    if is_mapping(value):
        return {str(key): with_leaves(each, of_leaf) for key, each in value.items()}
    return [with_leaves(each, of_leaf) for each in value] if is_list(value) else of_leaf(value)


def amount_of(value: object) -> object:
    """Return the amount in units; the value itself where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return value
    found = attempted(quantity, value, "it")
    return value if isinstance(found, Undecided) else found


def structure(text: str) -> Mapping[str, object] | Sequence[object] | None:
    """Return what the text holds as YAML or JSON; None where it is neither a mapping nor a list."""
    stripped = text.strip()
    # One line with a colon in it is a sentence.
    if "\n" not in stripped and not stripped.startswith(("{", "[")):
        return None
    loaded, _ = load_engine_yaml(text)
    plain = with_leaves(loaded, _plain)
    return plain if is_mapping(plain) or is_list(plain) else None


def options(words: Sequence[str]) -> Mapping[str, object] | None:
    """Return the options of a command line by name, and its other words by position.

    None where an option is given twice, or there is none: words say more then.
    """
    found: list[tuple[str, object]] = []
    position = 0
    for index, word in enumerate(words):
        name, separator, value = word.partition("=")
        if _OPTION.fullmatch(name):
            found.append((name, value if separator else _SWITCH))
        elif found and index and found[-1] == (words[index - 1], _SWITCH):
            found[-1] = (found[-1][0], word)
        else:
            found.append((f"word {position + 1}", word))
            position += 1
    counted = Counter(name for name, _ in found)
    if position == len(found) or max(counted.values(), default=0) > 1:
        return None
    return dict(found)


def command_words(text: str) -> Sequence[str] | None:
    """Return the words of a command on one line; None where a shell would read more than words in it."""
    if "\n" in text or " " not in text.strip():
        return None
    try:
        return shlex.split(text)
    except ValueError:
        return None


def decoded(text: str) -> str:
    """Return the text that base64 stands for; the text itself where it stands for none."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        return text


def _plain(value: object) -> object:
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - only nan is unlike itself
        return "nan"
    # YAML knows dates and sets; said, they are texts.
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
