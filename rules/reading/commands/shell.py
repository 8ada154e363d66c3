"""The commands of a start script, each with its variables and the files written before.

Not a shell. Published manifests are written in words, quotes, `&&`, `;`, assignments, `${NAME:-default}`,
functions, branches, loops and one form of here document. Where a script does more (arrays, `case`, `eval`,
here strings, sourced files) it is undecided. How long a script may be is the caller's to bound.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from engines.command_line import UNKNOWN_WORD, Environment, Word
from rules.reading.commands.written_commands import (
    NAME,
    PIECE,
    PIECE_IN_QUOTES,
    BrokenScript,
    WrittenCommand,
    written_commands,
)
from rules.reading.shapes import Undecided

Files = Mapping[str, Word]
"""Path, as the script writes it -> content of the file; unknown where a command may have changed the file."""

_ASSIGNMENT = re.compile(rf"({NAME})=")
_WITH_DEFAULT = re.compile(rf"\$\{{({NAME}):?[-=]([^$`]*)\}}")
_PRODUCT = re.compile(r"\$\(\(([\w\s*${}]{1,80})\)\)")
_FACTOR = re.compile(r"[0-9]{1,9}")
_RESERVED = {
    **dict.fromkeys(("if", "while", "until", "for", "select"), 1),
    **dict.fromkeys(("fi", "done"), -1),
    **dict.fromkeys(("then", "else", "elif", "do", "{", "}", "!", "time"), 0),
}
"""Word before a command -> how many branches and loops it opens."""
_DECLARATIONS = frozenset({"export", "declare", "readonly", "local", "typeset"})
_POSITIONS = tuple("123456789")
_MOST_CALLS = 100
"""Functions can call each other without an end; a person's script stays far below."""
_READERS = frozenset({"cat", "chmod", "chown", "echo", "grep", "head", "ls", "printf", "test", "[", "[["})
"""What is given a file's name and leaves the file as it is."""


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

    Raises:
        Undecided: the script does more than is read here.
        BrokenScript: no shell can read it.
    """
    shell = _Shell(environment)
    yield from shell.run(written_commands(script), certain=True)
    if shell.nesting > 0:
        raise BrokenScript("the start script begins a loop or a branch that no done or fi ends")
    if shell.nesting < 0:
        raise BrokenScript("the start script has a done or a fi of no loop and no branch")


class _Shell:
    """What a script has set, defined and written so far."""

    def __init__(self, environment: Environment) -> None:
        self._environment = dict(environment)
        self._functions: dict[str, Sequence[WrittenCommand]] = {}
        self._files: Files = {}
        self._calls = 0
        self._local: set[str] = set()
        """Names of the running function's own variables."""
        self.nesting = 0
        """Branches and loops that are open."""

    def run(self, commands: Iterator[WrittenCommand], *, certain: bool) -> Iterator[SimpleCommand]:
        """The commands of a script or of a function; `certain` where no branch decides whether it runs."""
        outer = self.nesting
        subshells: list[dict[str, Word]] = []
        for written in commands:
            words = list(written.words)
            while words and words[0] in _RESERVED:
                self.nesting += _RESERVED[words.pop(0)]
            if written.after == "(" and (len(words) == 1 or words[:1] == ["function"]):
                self._functions[words[-1]] = _body(commands)
                continue
            is_certain = certain and self.nesting == outer and written.before != "||"
            yield from self._follow(written, words, certain=is_certain)
            if written.after == "(":
                subshells.append(dict(self._environment))
            elif written.after == ")" and subshells:
                self._environment = subshells.pop()

    def _follow(self, written: WrittenCommand, raw: list[str], *, certain: bool) -> Iterator[SimpleCommand]:
        own: dict[str, Word] = {}
        while raw and (assignment := _ASSIGNMENT.match(raw[0])) is not None:
            own[assignment[1]] = self._text(raw.pop(0)[assignment.end() :])
        words = [word for each in raw for word in self._words(each)]
        here = None if written.document is None else self._text(written.document, written.pieces)
        if not words:
            self._set(own, certain=certain)
        elif words[0].known and words[0].text in self._functions:
            yield from self._call(words, own, certain=certain)
        else:
            yield SimpleCommand(tuple(words), self._environment | own, self._files, here)
            self._apply(words, certain=certain)
        self._write(written, words, here, certain=certain)

    def _call(self, words: Sequence[Word], own: Environment, *, certain: bool) -> Iterator[SimpleCommand]:
        self._calls += 1
        if self._calls > _MOST_CALLS:
            raise Undecided(f"the start script calls functions more than {_MOST_CALLS} times")
        before, outer = dict(self._environment), self._local
        self._local = {*_POSITIONS, *own}
        given = zip(_POSITIONS, words[1:], strict=False)
        self._environment.update({**dict.fromkeys(_POSITIONS, Word("")), **dict(given), **own})
        yield from self.run(iter(self._functions[words[0].text]), certain=certain)
        kept = {name: word for name, word in self._environment.items() if name not in self._local}
        self._environment = {name: before[name] for name in self._local & before.keys()} | kept
        self._local = outer

    def _set(self, assigned: Environment, *, certain: bool) -> None:
        self._environment.update(assigned if certain else dict.fromkeys(assigned, UNKNOWN_WORD))

    def _apply(self, words: Sequence[Word], *, certain: bool) -> None:
        """Take in what a builtin of the shell does to variables."""
        first = words[0].text if words[0].known else ""
        if first in _DECLARATIONS:
            parts = [(word.text.partition("="), word.known) for word in words[1:]]
            if first == "local":
                self._local.update(name for (name, _, _), _ in parts)
            assigned = {name: Word(value, known) for (name, equals, value), known in parts if equals}
            self._set(assigned, certain=certain)
        elif first == "unset":
            self._set({word.text: Word("") for word in words[1:]}, certain=certain)
        elif first in {"eval", "read", "case"}:
            raise Undecided(f"the start script uses {first}")
        elif first in {"source", "."} and not words[-1].text.endswith("/activate"):
            # A virtual environment's activate script changes PATH and nothing that an engine reads.
            raise Undecided(f"the start script reads another script, {words[-1].text or 'unnamed'}")

    def _write(
        self, written: WrittenCommand, words: Sequence[Word], here: Word | None, *, certain: bool
    ) -> None:
        """Keep what `cat > FILE <<EOF` writes, and forget each file that another command may change."""
        program = posixpath.basename(words[0].text) if words and words[0].known else ""
        named = () if program in _READERS else map(_path, words[1:])
        changed = {path: UNKNOWN_WORD for path in named if path in self._files or program == "tee"}
        if written.output is not None:
            path = _path(self._text(written.output)) if written.output else ""
            # What a relative path means, a later cd decides.
            writes = certain and program == "cat" and len(words) == 1 and path.startswith("/")
            changed[path] = here if writes and here is not None and not written.appends else UNKNOWN_WORD
        if "" in changed:
            # The command writes to a file whose name nobody knows, which may be any.
            changed = dict.fromkeys({*self._files, *changed} - {""}, UNKNOWN_WORD)
        self._files = {**self._files, **changed}

    def _words(self, raw: str) -> Iterator[Word]:
        """The words that a word stands for: a shell splits the value of a variable without quotes."""
        found: list[list[Word]] = [[]]
        for value, splits in self._values(raw):
            parts = [Word(part) for part in re.split(r"\s+", value.text)] if splits else [value]
            for index, part in enumerate(parts):
                if index:
                    found.append([])
                if part.text or not splits:
                    found[-1].append(part)
        return (sum(parts, start=Word("")) for parts in found if parts)

    def _text(self, raw: str, pieces: re.Pattern[str] = PIECE) -> Word:
        return sum((value for value, _ in self._values(raw, pieces)), start=Word(""))

    def _values(self, raw: str, pieces: re.Pattern[str] = PIECE) -> Iterator[tuple[Word, bool]]:
        """The parts of a word, and whether a shell splits the part at its blanks."""
        for piece in pieces.finditer(raw):
            found = piece.groupdict("")
            if found.get("expansion"):
                value = self._expanded(found["expansion"])
                yield value, value.known and pieces is PIECE
            elif found.get("quoted"):
                yield self._text(found["quoted"][1:-1], PIECE_IN_QUOTES), False
            else:
                text = found.get("literal") or found["plain"] or found["escaped"].strip("\n")
                yield Word("") + Word(text), False

    def _expanded(self, expansion: str) -> Word:
        """The value of `$NAME` and the like; a variable that nobody sets may come with the image."""
        name = expansion[1:].removeprefix("{").removesuffix("}")
        if name in self._environment:
            return self._environment[name]
        product = _PRODUCT.fullmatch(expansion)
        if product is not None:
            names = (each.strip(" ${}") for each in product[1].split("*"))
            words = (self._environment.get(each, Word(each)) for each in names)
            digits = [word.text.strip() if word.known else "" for word in words]
            return Word(str(prod(map(int, digits)))) if all(map(_FACTOR.fullmatch, digits)) else UNKNOWN_WORD
        default = _WITH_DEFAULT.fullmatch(expansion)
        value = UNKNOWN_WORD if default is None else self._environment.get(default[1], Word(""))
        return value if default is None or value.text or not value.known else Word(default[2].strip("\"'"))


def _body(commands: Iterator[WrittenCommand]) -> Sequence[WrittenCommand]:
    """The commands of a function, from its opening bracket to the closing one."""
    found, depth = list[WrittenCommand](), 0
    for written in commands:
        found.append(written)
        depth += written.words.count("{") - written.words.count("}")
        if written.words and depth <= 0:
            break
    return found


def _path(word: Word) -> str:
    return posixpath.normpath(word.text) if word.known else ""
