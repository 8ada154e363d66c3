"""The text of a shell script, the place in it that has been reached, and the parts that it is read into."""

import re
from dataclasses import dataclass, field

from rules.reading.commands.words import UNKNOWN_WORD, Environment, Word
from rules.reading.shapes import Undecided

PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WITH_DEFAULT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::?[-=])(.*)", re.DOTALL)
_CLOSING = {"(": ")", "{": "}"}


@dataclass(frozen=True, slots=True)
class Redirection:
    """The file that a command's output goes to."""

    path: Word
    appends: bool


@dataclass(frozen=True, slots=True)
class Array:
    """An array that `name=(word …)` sets."""

    name: str
    elements: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class RawCommand:
    """Words between two separators, and the separator before them."""

    words: tuple[Word, ...]
    separator: str
    output: Redirection | None = None
    here_document: Word | None = None
    """Text on the command's standard input; None where the script does not hold it."""
    array: Array | None = None


def expand_parameter(expression: str, environment: Environment) -> Word:
    """The value of `${expression}`; a variable that nobody sets may come with the image, so it is unknown."""
    if PARAMETER.fullmatch(expression):
        return environment.get(expression, UNKNOWN_WORD)
    if expression.isdigit() and expression in environment:
        return environment[expression]
    match = _WITH_DEFAULT.fullmatch(expression)
    if match is None:
        return UNKNOWN_WORD
    value = environment.get(match.group(1), Word(""))
    if value.text or not value.known:
        return value
    default = match.group(2)
    return UNKNOWN_WORD if "$" in default or "`" in default else Word(default.strip("\"'"))


@dataclass
class ShellText:
    """A script's text with a position, which each reading moves on past the returned part."""

    script: str
    position: int = field(default=0, kw_only=True)

    def run(self, pattern: re.Pattern[str]) -> str:
        """Return the longest text of plain characters, at least the one just read."""
        start = self.position - 1
        match = pattern.match(self.script, start)
        self.position = start + 1 if match is None else match.end()
        return self.script[start : self.position]

    def separator(self, character: str) -> str:
        """Return what separates two commands and begins with the character just read."""
        if character in "&|" and self.script[self.position : self.position + 1] == character:
            self.position += 1
            return character * 2
        return character

    def until(self, closing: str) -> str:
        """Return what stands before the closing mark."""
        end = self.script.find(closing, self.position)
        if end < 0:
            raise Undecided("the start script has a quotation mark without its partner")
        text = self.script[self.position : end]
        self.position = end + 1
        return text

    def bracketed(self, opening: str) -> str:
        """Return what stands in the brackets that are opened here, brackets in them included."""
        start = self.position + 1
        depth = 0
        while self.position < len(self.script):
            character = self.script[self.position]
            self.position += 1
            if character == "\\":
                self.position += 1
            elif character == opening:
                depth += 1
            elif character == _CLOSING[opening]:
                depth -= 1
                if depth == 0:
                    return self.script[start : self.position - 1]
        raise Undecided("the start script has a bracket without its partner")
