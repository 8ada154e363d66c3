"""Options of a command line, as Python's argparse reads them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rules.reading.commands.words import Word
from rules.reading.shapes import Undecided

_SHORTEST_ABBREVIATION = 4
# A single dash before a digit is a negative number.
_OPTION = re.compile(r"--|-[A-Za-z]")


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
    """False where an unknown word might hold further options."""
    whole_names: frozenset[str] = frozenset()
    """Options that are no short form of a longer one, though they begin like it."""

    def value(self, name: str) -> str | None:
        """The last value given to the option, as argparse takes it; None where it is not given.

        Raises:
            Undecided: the value is unknown, or another word might set it.
        """
        if not self.complete:
            raise Undecided(f"a word of the command line is unknown and might set {name}")
        found: Word | None = None
        for flag in self.all:
            if flag.name == name:
                found = flag.value
            elif _may_abbreviate(flag.name, name) and flag.name not in self.whole_names:
                raise Undecided(f"{flag.name} may be short for {name}")
        if found is None:
            return None
        if not found.known:
            raise Undecided(f"the value of {name} is unknown")
        return found.text

    def switch(self, name: str) -> bool | None:
        """Whether `--name` (True) or `--no-name` (False) was given last; None where neither is.

        Raises:
            Undecided: another word might be one of them.
        """
        if not self.complete:
            raise Undecided(f"a word of the command line is unknown and might be {name}")
        off = f"--no-{name.removeprefix('--')}"
        given: bool | None = None
        for flag in self.all:
            if flag.name in {name, off}:
                given = flag.name == name
        return given

    def with_prefix(self, prefix: str) -> Sequence[Flag]:
        """All options whose name starts so."""
        return [flag for flag in self.all if flag.name.startswith(prefix)]


def _may_abbreviate(given: str, name: str) -> bool:
    return name.startswith(given) and len(given) >= _SHORTEST_ABBREVIATION


def parse_flags(words: Sequence[Word]) -> Flags:
    """Read `--name value`, `--name=value`, `-n value` and switches."""
    return _parsed(tuple(words))


# Many rules ask for a flag of the same command line.
@lru_cache(maxsize=4096)
def _parsed(words: tuple[Word, ...]) -> Flags:
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
