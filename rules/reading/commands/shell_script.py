"""The simple commands of a shell script, each with its variables and the files written before.

Not a shell: it follows what the start scripts of containers are made of, and where a script does more
(`eval`, `case`, sourced files) it says so instead of guessing.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from rules.reading.commands.shell_text import Part, RawCommand, RawWord, ShellText
from rules.reading.commands.words import MOST_WORDS, UNKNOWN_WORD, Environment, Word
from rules.reading.shapes import Undecided

Files = Mapping[str, Word]
"""Path, as the script writes it -> content of the file; unknown where a command may have changed the file."""
# What is given a file's name and leaves the file as it is.
_READERS = frozenset({"cat", "chmod", "chown", "echo", "grep", "head", "ls", "printf", "test", "[", "[["})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_WITH_DEFAULT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::?[-=])([^$`]*)")
_PRODUCT = re.compile(r"\(\s*(\$?\{?\w+\}?(?:\s*\*\s*\$?\{?\w+\}?)*)\s*\)")
_OPENING_WORDS = frozenset({"if", "while", "until", "for"})
_CLOSING_WORDS = frozenset({"fi", "done"})
_MIDDLE_WORDS = frozenset({"then", "else", "elif", "do", "{", "}", "!"})
_DECLARATIONS = frozenset({"export", "declare", "readonly", "local", "typeset"})
_POSITIONS = tuple("123456789")
_MOST_CALLS = 100
"""Functions that call functions make a text longer each time; a person's script stays far below."""
_MOST_DIGITS = 18
"""Digits of a number that a shell, which counts in 64 bits, can hold."""
_MOST_EXPANDED = 1_000_000
"""Characters that the variables of one script may stand for, one variable after another."""


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program and its arguments."""

    words: tuple[Word, ...]
    environment: Environment
    files: Files = field(default_factory=dict[str, Word])
    """Files that the commands before this one wrote, by path."""
    here_document: Word | None = None
    """Text on the command's standard input; None where the script does not hold it."""


def simple_commands(script: str, environment: Environment) -> Iterator[SimpleCommand]:
    """All commands in the order in which they run; each is read only when it is asked for.

    A function's commands stand where it is called. A variable that a loop, a branch or what follows `||`
    sets is unknown from there on; what a subshell sets is forgotten at its end.
    """
    return _Shell(dict(environment)).run(script, certain=True)


class _Shell:
    """What a script has set, defined and written so far."""

    def __init__(self, environment: dict[str, Word]) -> None:
        self._environment = environment
        self._functions: dict[str, str] = {}
        self._files: Files = {}
        self._calls = self._expanded = 0
        self._before: dict[str, Word | None] = {}
        """What the names of the running function's own variables stood for when it was called."""

    def run(self, script: str, *, certain: bool) -> Iterator[SimpleCommand]:
        """The commands of the whole script, or of a function that is called.

        Args:
            script: the text.
            certain: no branch and no loop decides whether it runs.
        """
        nesting = 0
        subshells: list[dict[str, Word]] = []
        for raw in ShellText(script).commands():
            words = [word for each in raw.words for word in self._words(each)]
            if raw.body is not None:
                self._functions[words[-1].text] = raw.body
                continue
            nesting, words = _without_reserved_words(words, nesting)
            yield from self._follow(raw, words, certain=certain and nesting == 0 and raw.before != "||")
            if raw.after == "(":
                subshells.append(dict(self._environment))
            elif raw.after == ")" and subshells:
                self._environment = subshells.pop()

    def _follow(self, raw: RawCommand, words: list[Word], *, certain: bool) -> Iterator[SimpleCommand]:
        words, own = _assignments(words)
        here = None if raw.here_document is None else self._text(raw.here_document)
        if not words:
            self._environment.update(own if certain else dict.fromkeys(own, UNKNOWN_WORD))
        elif words[0].known and words[0].text in self._functions:
            yield from self._call(self._functions[words[0].text], words[1:], own, certain=certain)
            return
        else:
            yield SimpleCommand(tuple(words), self._environment | own, self._files, here)
            self._apply(words, certain=certain)
        self._write(raw, words, here, certain=certain)

    def _call(
        self, body: str, arguments: Sequence[Word], own: Environment, *, certain: bool
    ) -> Iterator[SimpleCommand]:
        self._calls += 1
        if self._calls > _MOST_CALLS:
            raise Undecided(f"the start script calls functions more than {_MOST_CALLS} times")
        given = {str(number): word for number, word in enumerate(arguments[:9], start=1)}
        outer = self._before
        self._before = {name: self._environment.get(name) for name in (*_POSITIONS, *own)}
        self._environment.update({**dict.fromkeys(_POSITIONS, Word("")), **given, **own})
        yield from self.run(body, certain=certain)
        before, self._before = self._before, outer
        for name, word in before.items():
            if word is None:
                self._environment.pop(name, None)
            else:
                self._environment[name] = word

    def _apply(self, words: Sequence[Word], *, certain: bool) -> None:
        """Take in what a builtin of the shell does to variables."""
        first = words[0].text if words[0].known else ""
        if first in _DECLARATIONS:
            _, assigned = _assignments([word for word in words[1:] if "=" in word.text])
            if first == "local":
                for name in (word.text.partition("=")[0] for word in words[1:]):
                    self._before.setdefault(name, self._environment.get(name))
            self._environment.update(assigned if certain else dict.fromkeys(assigned, UNKNOWN_WORD))
        elif first == "unset":
            for word in words[1:]:
                self._environment.pop(word.text, None)
        elif first in {"eval", "read", "case"}:
            raise Undecided(f"the start script uses {first}")
        elif first in {"source", "."} and not words[-1].text.endswith("/activate"):
            # A virtual environment's activate script changes PATH and nothing that an engine reads.
            raise Undecided(f"the start script reads another script, {words[-1].text or 'unnamed'}")

    def _write(self, raw: RawCommand, words: Sequence[Word], here: Word | None, *, certain: bool) -> None:
        """Keep what `cat > FILE <<EOF` writes, and forget each file that another command may change."""
        program = posixpath.basename(words[0].text) if words and words[0].known else ""
        changed: dict[str, Word] = {}
        if program == "cd":
            changed = {path: UNKNOWN_WORD for path in self._files if not path.startswith("/")}
        elif program not in _READERS:
            named = [_path(word) for word in words[1:] if not word.known or not word.text.startswith("-")]
            changed = {path: UNKNOWN_WORD for path in named if path in self._files or program == "tee"}
        if raw.output is not None:
            writes = certain and program == "cat" and len(words) == 1 and not raw.appends
            changed[_path(self._text(raw.output))] = here if writes and here is not None else UNKNOWN_WORD
        if "" in changed:
            # The command writes to a file whose name nobody knows, which may be any.
            changed = dict.fromkeys({*self._files, *changed} - {""}, UNKNOWN_WORD)
        if changed:
            self._files = {**self._files, **changed}

    def _words(self, raw: RawWord) -> Iterator[Word]:
        """The words that a word stands for: a shell splits the value of a variable without quotes."""
        word: Word | None = None
        for part in raw:
            value = self._value(part)
            pieces = value.text.split() if part.expands and not part.quoted and value.known else None
            if pieces is None:
                word = value if word is None else word + value
                continue
            if word is not None and (value.text[:1].isspace() or (value.text and not pieces)):
                yield word
                word = None
            for index, piece in enumerate(pieces[:MOST_WORDS]):
                if index and word is not None:
                    yield word
                    word = None
                word = Word(piece) if word is None else word + Word(piece)
            if word is not None and value.text[-1:].isspace():
                yield word
                word = None
        if word is not None:
            yield word

    def _text(self, raw: RawWord) -> Word:
        return sum((self._value(part) for part in raw), start=Word(""))

    def _value(self, part: Part) -> Word:
        if not part.expands:
            return Word("") + Word(part.text)
        value = _expanded(part.text, self._environment)
        self._expanded += len(value.text)
        if self._expanded > _MOST_EXPANDED:
            raise Undecided(f"the start script's variables stand for more than {_MOST_EXPANDED:,} characters")
        return value


def _expanded(expression: str, environment: Environment) -> Word:
    """The value of `${expression}`; a variable that nobody sets may come with the image, so it is unknown."""
    if expression in environment:
        return environment[expression]
    product = _PRODUCT.fullmatch(expression)
    if product is not None:
        return _product([factor.strip().strip("${}") for factor in product.group(1).split("*")], environment)
    match = _WITH_DEFAULT.fullmatch(expression)
    if match is None:
        return UNKNOWN_WORD
    value = environment.get(match.group(1), Word(""))
    return value if value.text or not value.known else Word(match.group(2).strip("\"'"))


def _product(factors: Sequence[str], environment: Environment) -> Word:
    words = [Word(each) if each.isdigit() else environment.get(each, UNKNOWN_WORD) for each in factors]
    digits = [word.text.strip() for word in words]
    if not all(word.known for word in words) or not all(each.isascii() and each.isdigit() for each in digits):
        return UNKNOWN_WORD
    if sum(map(len, digits)) > _MOST_DIGITS:
        return UNKNOWN_WORD
    return Word(str(prod(map(int, digits))))


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
