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
_MOST_CALLS = 100
"""Functions that call functions make a text longer each time; a person's script stays far below."""
_POSITIONS = tuple("123456789")
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
    """All commands in the order in which they run; each is read only when it is asked for.

    A function's commands stand where it is called. A variable that a loop, a branch or what follows `||`
    sets is unknown from there on; what a subshell sets is forgotten at its end.
    """
    return _Shell(dict(environment)).run(script, certain=True)


class _Shell:
    """What a script has set, defined and written so far."""

    def __init__(self, environment: dict[str, Word]) -> None:
        self._environment = environment
        self._arrays: dict[str, tuple[Word, ...]] = {}
        self._functions: dict[str, str] = {}
        self._files = WrittenFiles()
        self._calls = 0
        self._before: dict[str, Word | None] = {}
        """What the names of the running function's own variables stood for when it was called."""

    def run(self, script: str, *, certain: bool) -> Iterator[SimpleCommand]:
        """The commands of the whole script, or of a function that is called.

        Args:
            script: the text.
            certain: no branch and no loop decides whether it runs.
        """
        reader = ShellReader(script, self._environment, self._arrays, self._functions)
        nesting = 0
        for raw in reader.commands():
            nesting, words = _without_reserved_words(raw.words, nesting)
            runs = certain and nesting == 0 and raw.separator != "||"
            if raw.array is not None:
                self._arrays[raw.array.name] = raw.array.elements if runs else (UNKNOWN_WORD,)
            words, own = _assignments(words)
            if not words:
                self._environment.update(own if runs else dict.fromkeys(own, UNKNOWN_WORD))
                continue
            if len(self._environment) > _MOST_VARIABLES:
                raise Undecided(f"the start script sets more than {_MOST_VARIABLES:,} variables")
            if words[0].known and words[0].text in self._functions:
                yield from self._call(self._functions[words[0].text], words[1:], own, certain=runs)
                continue
            variables = self._environment | own
            yield SimpleCommand(
                tuple(words), raw.separator, variables, self._files.by_path, raw.here_document
            )
            if words[0] == Word("local"):
                for name in (word.text.partition("=")[0] for word in words[1:]):
                    self._before.setdefault(name, self._environment.get(name))
            _apply_declaration(words, self._environment, certain=runs)
            self._files.after(words, raw, certain=runs)

    def _call(
        self, body: str, arguments: Sequence[Word], own: Environment, *, certain: bool
    ) -> Iterator[SimpleCommand]:
        self._calls += 1
        if self._calls > _MOST_CALLS:
            raise Undecided(f"the start script calls functions more than {_MOST_CALLS} times")
        given = {str(number): word for number, word in enumerate(arguments[:9], start=1)}
        outer, self._before = (
            self._before,
            {name: self._environment.get(name) for name in (*_POSITIONS, *own)},
        )
        self._environment.update({**dict.fromkeys(_POSITIONS, Word("")), **given, **own})
        yield from self.run(body, certain=certain)
        before, self._before = self._before, outer
        for name, word in before.items():
            if word is None:
                self._environment.pop(name, None)
            else:
                self._environment[name] = word


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


def _apply_declaration(words: Sequence[Word], environment: dict[str, Word], *, certain: bool) -> None:
    first = words[0].text if words[0].known else ""
    if first in _DECLARATIONS:
        _, assigned = _assignments([word for word in words[1:] if "=" in word.text])
        environment.update(assigned if certain else dict.fromkeys(assigned, UNKNOWN_WORD))
    elif first == "unset":
        for word in words[1:]:
            environment.pop(word.text, None)
    elif first in {"eval", "read"}:
        raise Undecided(f"the start script uses {first}")
    elif first in {"source", "."} and not words[-1].text.endswith("/activate"):
        # A virtual environment's activate script changes PATH and nothing that an engine reads.
        raise Undecided(f"the start script reads another script, {words[-1].text or 'unnamed'}")
