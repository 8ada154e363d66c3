"""The simple commands of a shell script, each with its variables and the files written before."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rules.reading.commands.shell_reader import ShellReader
from rules.reading.commands.shell_text import RawCommand
from rules.reading.commands.words import UNKNOWN_WORD, Environment, Word
from rules.reading.shapes import Undecided

Files = Mapping[str, Word]
"""Path, as the script writes it -> content of the file; unknown where a command may have changed the file."""
# What is given a file's name and leaves the file as it is.
_READERS = frozenset({"cat", "chmod", "chown", "echo", "grep", "head", "ls", "printf", "test", "[", "[["})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_OPENING_WORDS = frozenset({"if", "while", "until", "for", "case"})
_CLOSING_WORDS = frozenset({"fi", "done", "esac"})
_MIDDLE_WORDS = frozenset({"then", "else", "elif", "do", "{", "}", "!"})
_MOST_VARIABLES = 2_000
_DECLARATIONS = frozenset({"export", "declare", "readonly", "local", "typeset"})


class WrittenFiles:
    """What a script has written so far."""

    def __init__(self) -> None:
        self.by_path: Files = {}
        self._piped: Word | None = None

    def after(self, words: Sequence[Word], command: RawCommand, *, certain: bool) -> None:
        """Take in what a command does.

        Args:
            words: the program and its arguments, without variables before them.
            command: the same with its redirections.
            certain: no branch and no loop decides whether it runs.
        """
        program = posixpath.basename(words[0].text) if words[0].known else ""
        given = self._piped if command.separator == "|" else command.here_document
        self._piped = None
        changed: dict[str, Word] = {}
        operands = [word for word in words[1:] if not word.known or not word.text.startswith("-")]
        if program == "cd":
            changed = {path: UNKNOWN_WORD for path in self.by_path if not path.startswith("/")}
        elif program not in _READERS:
            changed = {path: UNKNOWN_WORD for path in map(_path, operands) if path in self.by_path}
        passed_on = UNKNOWN_WORD if given is None else given
        if program == "tee":
            appends = any(word.text in {"-a", "--append"} for word in words[1:])
            changed |= {_path(word): self._content(_path(word), passed_on, appends) for word in operands}
        elif program != "cat" or operands:
            passed_on = UNKNOWN_WORD
        if command.output is None:
            self._piped = passed_on
        else:
            path = _path(command.output.path)
            changed[path] = self._content(path, passed_on, command.output.appends)
        if "" in changed:
            # The command writes to a file whose name nobody knows, which may be any.
            changed = dict.fromkeys({*self.by_path, *changed} - {""}, UNKNOWN_WORD)
        if changed:
            known = changed if certain else dict.fromkeys(changed, UNKNOWN_WORD)
            self.by_path = {**self.by_path, **known}

    def _content(self, path: str, added: Word, appends: bool) -> Word:
        # The file's earlier content may have come with the image.
        return self.by_path.get(path, UNKNOWN_WORD) + added if appends else added


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program and its arguments."""

    words: tuple[Word, ...]
    separator: str
    """Separator between this command and the one before: `;`, `&&`, `||`, a pipe …"""
    environment: Environment
    files: Files = field(default_factory=dict[str, Word])
    """Files that the commands before this one wrote, by path."""
    here_document: Word | None = None
    """Text on the command's standard input; None where the script does not hold it."""


def simple_commands(script: str, environment: Environment) -> Iterator[SimpleCommand]:
    """All commands in the order in which they are written; each is read only when it is asked for.

    A variable that a loop, a branch or what follows `||` sets is unknown from there on.
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


def _path(word: Word) -> str:
    return posixpath.normpath(word.text) if word.known else ""


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
