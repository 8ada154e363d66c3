"""Command lines: words, which may be known in part only, and the options among them.

And a value that somebody wrote, with the place that decides it; and what is said where it cannot be told.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

_MOST_DIGITS = 100


class Undecided(Exception):  # noqa: N818 - no error: who asked cannot judge, and says why
    """A value that is needed is unknown, absent from what was read or not of the expected shape.

    Every reading may raise it: its message is what a rule says instead of judging.
    """


@dataclass(frozen=True, slots=True)
class Setting:
    """A value, and the option, file or variable that sets it."""

    value: Any
    source: str

    def __str__(self) -> str:
        return f"{self.value} ({self.source})"


@dataclass(frozen=True, slots=True)
class Count(Setting):
    """A setting that is a whole number."""

    value: int


def whole_number(value: object, what: str) -> int:
    """The value as a whole number, also where it is written as a text."""
    if isinstance(value, int) and not isinstance(value, bool):
        # Beyond three hundred no floating-point number is as large.
        if abs(value) >= 10**_MOST_DIGITS:
            raise Undecided(f"{what} has more than {_MOST_DIGITS} digits")
        return value
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        # Python itself refuses to read thousands of digits.
        if len(value) > _MOST_DIGITS:
            raise Undecided(f"{what} has {len(value)} digits")
        return int(value)
    raise Undecided(f"{what} is {shown(value)}, not a whole number")


def number(value: object, what: str) -> float:
    """The value as a number, such as a fraction."""
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise Undecided(f"{what} is {value!r}, not a number")


def shown(value: object) -> str:
    """A value for a message."""
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    return repr(value)


LONGEST_WORD: Final = 131_072
"""Bytes of the longest argument or variable that Linux hands a process where pages have 4 KiB
(include/uapi/linux/binfmts.h MAX_ARG_STRLEN); what a few doublings stand for would fill any memory."""
_BEGINNING = 200
_SHORTEST_ABBREVIATION = 4
# A single dash before a digit is a negative number.
_OPTION = re.compile(r"--|-[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Word:
    """One word. Where it is not known, `text` is what stands before the first unknown part."""

    text: str
    known: bool = True

    def __add__(self, other: "Word") -> "Word":
        if not self.known:
            return self
        if len(self.text) + len(other.text) > LONGEST_WORD:
            # The known beginning tells which variable or option the word is.
            return Word(self.text[:_BEGINNING], known=False)
        return Word(self.text + other.text, other.known)

    def value(self, what: str) -> str:
        """The word's text, as the value of an option or a variable."""
        if not self.known:
            raise Undecided(f"the value of {what} is unknown")
        return self.text


UNKNOWN_WORD: Final = Word("", known=False)
Environment = Mapping[str, Word]


def variable_in(environment: Environment, name: str) -> str | None:
    """The value of a variable; None where nobody sets the variable."""
    word = environment.get(name)
    return None if word is None else word.value(f"the variable {name}")


@dataclass(frozen=True, slots=True)
class Flag:
    """One option; `value` is None for a switch."""

    name: str
    value: Word | None


@dataclass(frozen=True, slots=True)
class Flags:
    """The options of one command."""

    all: tuple[Flag, ...]
    complete: bool
    """Whether all options are known: False where an unknown word might hold further ones."""
    whole_names: frozenset[str] = frozenset()
    """Names of options that are no short form of a longer option, though they begin like one."""

    def value(self, name: str) -> str | None:
        """The last value given to the option, as argparse takes it; None where the option is not given."""
        if not self.complete:
            raise Undecided(f"a word of the command line is unknown and might set {name}")
        found: Word | None = None
        for flag in self.all:
            if flag.name == name:
                found = flag.value
            elif flag.name.startswith(f"{name} "):
                raise Undecided(f"{flag.name!r} is one argument, so it does not set {name}")
            elif (
                name.startswith(flag.name)
                and len(flag.name) >= _SHORTEST_ABBREVIATION
                and flag.name not in self.whole_names
            ):
                raise Undecided(f"{flag.name} may be short for {name}")
        return None if found is None else found.value(name)

    def setting(self, *names: str) -> Setting | None:
        """What an option of these names is given that stands last on the line, and so acts; else None."""
        name = next((flag.name for flag in reversed(self.all) if flag.name in names), names[0])
        # An abbreviation of any of them may act; none of them is short for another.
        whole = Flags(self.all, self.complete, self.whole_names | frozenset(names))
        text = {each: whole.value(each) for each in names}[name]
        return None if text is None else Setting(text, name)

    def count(self, *names: str) -> Count | None:
        """The whole number that an option of these names is given; None where none is."""
        given = self.setting(*names)
        return None if given is None else Count(whole_number(given.value, given.source), given.source)

    def switch(self, name: str) -> bool | None:
        """Whether `--name` (True) or `--no-name` (False) was given last; None where neither was given."""
        if not self.complete:
            raise Undecided(f"a word of the command line is unknown and might be {name}")
        off = f"--no-{name.removeprefix('--')}"
        return next((flag.name == name for flag in reversed(self.all) if flag.name in {name, off}), None)


# Many rules ask for a flag of the same command line.
@lru_cache(maxsize=4096)
def parse_flags(words: tuple[Word, ...]) -> Flags:
    """Read `--name value`, `--name=value`, `-n value` and switches."""
    flags: list[Flag] = []
    complete = True
    expecting = False
    for word in words:
        if _OPTION.match(word.text):
            name, equals, value = word.text.partition("=")
            complete = complete and (word.known or bool(equals))
            flags.append(Flag(name, Word(value, word.known) if equals else None))
            expecting = not equals
        elif expecting:
            flags[-1] = Flag(flags[-1].name, word)
            expecting = False
        elif not word.known:
            complete = False
    return Flags(tuple(flags), complete)


def split_options(arguments: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the options of a command line whose every word is known; None is the value of a switch."""
    for flag in parse_flags(tuple(map(Word, arguments))).all:
        yield flag.name, None if flag.value is None else flag.value.text
