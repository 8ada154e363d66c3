"""The simple commands of a shell script, each with the variables that it sees."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rules.reading.commands.shell_words import ShellReader
from rules.reading.commands.words import UNKNOWN_WORD, Environment, Word
from rules.reading.commands.written_files import Files, WrittenFiles
from rules.reading.shapes import Undecided

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_OPENING_WORDS = frozenset({"if", "while", "until", "for", "case"})
_CLOSING_WORDS = frozenset({"fi", "done", "esac"})
_MIDDLE_WORDS = frozenset({"then", "else", "elif", "do", "{", "}", "!"})
_MOST_VARIABLES = 2_000
_DECLARATIONS = frozenset({"export", "declare", "readonly", "local", "typeset"})


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program and its arguments."""

    words: tuple[Word, ...]
    separator: str
    """What stands between it and the command before: `;`, `&&`, `||`, a pipe …"""
    environment: Environment
    files: Files = field(default_factory=dict[str, Word])
    """What the commands before it wrote, by path."""
    here_document: Word | None = None
    """What it finds on its standard input, where the script holds that."""


def simple_commands(script: str, environment: Environment) -> Iterator[SimpleCommand]:
    """All commands in the order in which they are written; each is read only when it is asked for.

    A variable that a loop, a branch or what follows `||` sets is unknown from there on.

    Raises:
        Undecided: the script does what only a shell can follow.
    """
    reader = ShellReader(script, dict(environment))
    files = WrittenFiles()
    nesting = 0
    for raw in reader.commands():
        nesting, words = _without_reserved_words(raw.words, nesting)
        certain = nesting == 0 and raw.separator != "||"
        if raw.array is not None:
            reader.arrays[raw.array.name] = raw.array.elements if certain else (UNKNOWN_WORD,)
        words, own = _assignments(words)
        if not words:
            reader.environment |= own if certain else dict.fromkeys(own, UNKNOWN_WORD)
            continue
        if len(reader.environment) > _MOST_VARIABLES:
            raise Undecided(f"the start script sets more than {_MOST_VARIABLES:,} variables")
        variables = reader.environment | own
        yield SimpleCommand(tuple(words), raw.separator, variables, files.by_path, raw.here_document)
        _apply_declaration(words, reader, certain=certain)
        files.after(words, raw, certain=certain)


def _without_reserved_words(words: Sequence[Word], nesting: int) -> tuple[int, list[Word]]:
    remaining = list(words)
    while remaining and remaining[0].known:
        first = remaining[0].text
        if first in _OPENING_WORDS:
            nesting += 1
        elif first in _CLOSING_WORDS:
            nesting -= 1
        elif first not in _MIDDLE_WORDS:
            break
        remaining.pop(0)
    return nesting, remaining


def _assignments(words: Sequence[Word]) -> tuple[list[Word], dict[str, Word]]:
    assigned: dict[str, Word] = {}
    remaining = list(words)
    while remaining:
        match = _ASSIGNMENT.fullmatch(remaining[0].text)
        if match is None:
            break
        assigned[match.group(1)] = Word(match.group(2), remaining.pop(0).known)
    return remaining, assigned


def _apply_declaration(words: Sequence[Word], reader: ShellReader, *, certain: bool) -> None:
    first = words[0].text if words[0].known else ""
    if first in _DECLARATIONS:
        _, assigned = _assignments([word for word in words[1:] if "=" in word.text])
        reader.environment |= assigned if certain else dict.fromkeys(assigned, UNKNOWN_WORD)
    elif first == "unset":
        for word in words[1:]:
            reader.environment.pop(word.text, None)
    elif first in {"eval", "read"}:
        raise Undecided(f"the start script uses {first}")
    elif first in {"source", "."} and not words[-1].text.endswith("/activate"):
        # A virtual environment's activate script changes PATH and nothing that an engine reads.
        raise Undecided(f"the start script reads another script, {words[-1].text or 'unnamed'}")
