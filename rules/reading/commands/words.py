"""Words of a command line, which may be known in part only."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rules.reading.shapes import Undecided

LONGEST_WORD: Final = 131_072
"""Linux hands a process no longer argument or variable where pages have 4 KiB (include/uapi/linux/binfmts.h
MAX_ARG_STRLEN); what a few doublings stand for would fill any memory."""
_BEGINNING = 200
MOST_WORDS: Final = 2_000
"""Of one command, and commands of one script: no person writes as many, and rules compare them."""
_KUBERNETES_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.][A-Za-z0-9_.-]*)\)")

PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WITH_DEFAULT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::?[-=])(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Word:
    """One word. Where it is not known, `text` is what stands before the first unknown part."""

    text: str
    known: bool = True

    def __add__(self, other: "Word") -> "Word":
        if not self.known:
            return self
        if len(self.text) + len(other.text) > LONGEST_WORD:
            # Its beginning tells which variable or option it is.
            return Word(self.text[:_BEGINNING], known=False)
        return Word(self.text + other.text, other.known)


UNKNOWN_WORD: Final = Word("", known=False)

Environment = Mapping[str, Word]


@dataclass(frozen=True, slots=True)
class Redirection:
    """Where a command's output goes."""

    path: Word
    appends: bool


@dataclass(frozen=True, slots=True)
class Array:
    """What `name=(word …)` sets."""

    name: str
    elements: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class RawCommand:
    """Words between two separators, and the separator before them."""

    words: tuple[Word, ...]
    separator: str
    output: Redirection | None = None
    here_document: Word | None = None
    """What it finds on its standard input, where the script holds that."""
    array: Array | None = None


def expand_references(text: str, environment: Environment) -> Word:
    """Replace Kubernetes' `$(NAME)`; `$$` stands for a dollar sign and an undefined name stays as it is.

    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
    """
    if "$" not in text:
        return Word(text) if len(text) <= LONGEST_WORD else Word(text[:_BEGINNING], known=False)
    word = Word("")
    end = 0
    for match in _KUBERNETES_REFERENCE.finditer(text):
        word += Word(text[end : match.start()])
        end = match.end()
        name = match.group(1)
        if name is None:
            word += Word("$")
        else:
            word += environment.get(name, Word(match.group(0)))
    return word + Word(text[end:])


def expand_words(words: Sequence[str | None], environment: Environment) -> tuple[Word, ...]:
    """The words of a whole command line; None stands for a word that is known later.

    Raises:
        Undecided: it has more words than anybody writes.
    """
    if len(words) > MOST_WORDS:
        raise Undecided(f"the command line has more than {MOST_WORDS:,} words")
    return tuple(UNKNOWN_WORD if word is None else expand_references(word, environment) for word in words)


def expand_script_references(script: str, environment: Environment) -> str:
    """The text of a shell script; a reference to an unknown value stays for the shell's reader to meet.

    Raises:
        Undecided: the script is longer than any that a shell can be handed.
    """
    known = {name: word for name, word in environment.items() if word.known}
    word = expand_references(script, known)
    if not word.known:
        raise Undecided(f"the start script has more than {LONGEST_WORD:,} characters")
    return word.text


def expand_parameter(expression: str, environment: Environment) -> Word:
    """The value of `${expression}`; a variable that nobody sets may come with the image, so it is unknown."""
    if PARAMETER.fullmatch(expression):
        return environment.get(expression, UNKNOWN_WORD)
    match = _WITH_DEFAULT.fullmatch(expression)
    if match is None:
        return UNKNOWN_WORD
    value = environment.get(match.group(1), Word(""))
    if value.text or not value.known:
        return value
    default = match.group(2)
    return UNKNOWN_WORD if "$" in default or "`" in default else Word(default.strip("\"'"))
