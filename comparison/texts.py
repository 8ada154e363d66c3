"""What is inside of texts: settings as YAML or JSON, options of commands, lines."""

import base64
import binascii
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from comparison.nested_values import is_list, is_mapping
from rules.reading.engines.engine_yaml import load_engine_yaml

_LONGEST_PARSED = 200_000
"""Characters of a text that is read as YAML: a ConfigMap holds no more than a mebibyte, settings far less."""
_MOST_LINES = 6_000
"""Lines of both texts that are aligned: the time grows with their square, and a pull request may hold any."""
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_SWITCH = True


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines that stand between equal ones."""

    label: str
    """`line 12` or `lines 12-14`, counted from 1, in the newer text; in the older where none is left."""
    before: str | None
    after: str | None


def structure(text: str, *, is_document: bool = False) -> Mapping[str, object] | Sequence[object] | None:
    """Return what the text holds as YAML or JSON; None where it is neither a mapping nor a list.

    Args:
        text: any text.
        is_document: whether its name says that it is one of the two. Elsewhere one line with a colon in it is
            a sentence.

    """
    stripped = text.strip()
    if not stripped or len(text) > _LONGEST_PARSED:
        return None
    if not is_document and "\n" not in stripped and stripped[0] not in "{[":
        return None
    loaded = load_engine_yaml(text).content
    plain = _plain(loaded)
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
        elif found and index and _takes(words[index - 1], found[-1]):
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


def line_changes(before: str, after: str) -> Iterator[LineChange]:
    """Yield the lines that differ."""
    old, new = before.splitlines(), after.splitlines()
    if old == new:
        # Only the kind of line ends differs, or a last one.
        yield LineChange("line ends", _ends(before), _ends(after))
        return
    if len(old) + len(new) > _MOST_LINES:
        yield LineChange("all lines", f"{len(old):,} lines", f"{len(new):,} lines")
        return
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            continue
        if old_to - old_from == new_to - new_from:
            for step in range(new_to - new_from):
                yield LineChange(_lines(new_from + step, 1), old[old_from + step], new[new_from + step])
            continue
        place = (
            _lines(new_from, new_to - new_from) if new_to > new_from else _lines(old_from, old_to - old_from)
        )
        yield LineChange(place, _joined(old[old_from:old_to]), _joined(new[new_from:new_to]))


def decoded(text: str) -> str | None:
    """Return the text that base64 stands for; None where it stands for none."""
    try:
        plain = base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    return plain if plain and plain.replace("\n", "").replace("\t", "").isprintable() else None


def _takes(word: str, last: tuple[str, object]) -> bool:
    return word == last[0] and last[1] is _SWITCH


def _plain(value: object) -> object:
    if is_mapping(value):
        return {str(key): _plain(each) for key, each in value.items()}
    if is_list(value):
        return [_plain(each) for each in value]
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - only nan is unlike itself
        return "nan"
    # YAML knows dates and sets; said, they are texts.
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _lines(start: int, count: int) -> str:
    return f"line {start + 1}" if count == 1 else f"lines {start + 1}-{start + count}"


def _joined(lines: Sequence[str]) -> str | None:
    return "\n".join(lines) if lines else None


def _ends(text: str) -> str:
    kind = "CR LF" if "\r\n" in text else "LF"
    return f"{kind}, {'with' if text.endswith(chr(10)) else 'without'} one at the end"
