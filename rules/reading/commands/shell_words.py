"""Splits a shell script into simple commands, expanding the variables whose values are known.

Not a shell: it reads what the start scripts of containers are made of, and where a script does more
(here documents, `eval`, sourced files) it says so instead of guessing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rules.reading.commands.words import UNKNOWN_WORD, Environment, Word
from rules.reading.shapes import Undecided

_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WITH_DEFAULT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::?[-=])(.*)", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9_./:=,@%+-]+")
_PLAIN_IN_QUOTES = re.compile(r'[^"\\$`]+')
_ENDS_COMMAND = frozenset(";&|()\n")
_CLOSING = {"(": ")", "{": "}"}


@dataclass(frozen=True, slots=True)
class RawCommand:
    """Words between two separators, and the separator before them."""

    words: tuple[Word, ...]
    separator: str


@dataclass
class ShellReader:
    """Reads one script; `environment` may be changed between commands, as a shell would."""

    script: str
    environment: dict[str, Word]
    position: int = 0
    _words: list[Word] = field(default_factory=list[Word])
    _word: Word | None = None
    _skip_next: bool = False

    def commands(self) -> Iterator[RawCommand]:
        """The simple commands in order; each is read only when it is asked for."""
        separator = ""
        while self.position < len(self.script):
            ended = self._step()
            if ended is None:
                continue
            if self._words:
                yield RawCommand(tuple(self._words), separator)
                self._words = []
            separator = ended
        self._end_word()
        if self._words:
            yield RawCommand(tuple(self._words), separator)

    def _step(self) -> str | None:
        character = self.script[self.position]
        if character in _ENDS_COMMAND:
            self._end_word()
            self.position += 1
            return self._whole_separator(character)
        if character.isspace():
            self._end_word()
            self.position += 1
        elif character == "#" and self._word is None:
            end = self.script.find("\n", self.position)
            self.position = len(self.script) if end < 0 else end
        elif character in "<>":
            self._redirection()
        else:
            self._part(character)
        return None

    def _whole_separator(self, character: str) -> str:
        if character in "&|" and self.script[self.position : self.position + 1] == character:
            self.position += 1
            return character * 2
        return character

    def _part(self, character: str) -> None:
        self.position += 1
        if character == "'":
            self._append(Word(self._until("'")))
        elif character == '"':
            self._append(self._double_quoted())
        elif character == "\\":
            self._escape()
        elif character == "$":
            self._unquoted_expansion()
        elif character == "`":
            self._until("`")
            self._append(UNKNOWN_WORD)
        else:
            self._append(Word(self._run(_PLAIN)))

    def _run(self, pattern: re.Pattern[str]) -> str:
        """The longest text of plain characters, at least the one just read."""
        start = self.position - 1
        match = pattern.match(self.script, start)
        self.position = start + 1 if match is None else match.end()
        return self.script[start : self.position]

    def _escape(self) -> None:
        escaped = self.script[self.position : self.position + 1]
        self.position += 1
        if escaped != "\n":
            self._append(Word(escaped))

    def _double_quoted(self) -> Word:
        word = Word("")
        while self.position < len(self.script):
            character = self.script[self.position]
            self.position += 1
            if character == '"':
                return word
            if character == "\\" and self.script[self.position : self.position + 1] in {*'$`"\\', "\n"}:
                escaped = self.script[self.position]
                self.position += 1
                word += Word("" if escaped == "\n" else escaped)
            elif character == "$":
                word += self._expansion()
            elif character == "`":
                self._until("`")
                word += UNKNOWN_WORD
            else:
                word += Word(self._run(_PLAIN_IN_QUOTES))
        raise Undecided("the start script has a quotation mark without its partner")

    def _unquoted_expansion(self) -> None:
        value = self._expansion()
        if not value.known:
            self._append(value)
            return
        # A shell splits the value of an unquoted variable into words.
        pieces = value.text.split()
        if value.text[:1].isspace() or not pieces:
            self._end_word()
        for index, piece in enumerate(pieces):
            if index:
                self._end_word()
            self._append(Word(piece))
        if value.text[-1:].isspace():
            self._end_word()

    def _expansion(self) -> Word:
        following = self.script[self.position : self.position + 1]
        if following == "(":
            self._bracketed("(")
            return UNKNOWN_WORD
        if following == "{":
            return expand_parameter(self._bracketed("{"), self.environment)
        match = _PARAMETER.match(self.script, self.position)
        if match is not None:
            self.position = match.end()
            return self.environment.get(match.group(), UNKNOWN_WORD)
        if following and following in "?$!#@*-0123456789":
            self.position += 1
            return UNKNOWN_WORD
        return Word("$")

    def _bracketed(self, opening: str) -> str:
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

    def _redirection(self) -> None:
        if self._word is not None and self._word.text.isdigit():
            self._word = None
        self._end_word()
        operator = self.script[self.position]
        self.position += 1
        if operator == "<" and self.script[self.position : self.position + 1] == "<":
            raise Undecided("the start script uses a here document")
        while self.script[self.position : self.position + 1] in {">", "&", "|"}:
            self.position += 1
        self._skip_next = True

    def _until(self, closing: str) -> str:
        end = self.script.find(closing, self.position)
        if end < 0:
            raise Undecided("the start script has a quotation mark without its partner")
        text = self.script[self.position : end]
        self.position = end + 1
        return text

    def _append(self, part: Word) -> None:
        self._word = part if self._word is None else self._word + part

    def _end_word(self) -> None:
        if self._word is None:
            return
        if self._skip_next:
            self._skip_next = False
        else:
            self._words.append(self._word)
        self._word = None


def expand_parameter(expression: str, environment: Environment) -> Word:
    """The value of `${expression}`; a variable that nobody sets may come with the image, so it is unknown."""
    if _PARAMETER.fullmatch(expression):
        return environment.get(expression, UNKNOWN_WORD)
    match = _WITH_DEFAULT.fullmatch(expression)
    if match is None:
        return UNKNOWN_WORD
    value = environment.get(match.group(1), Word(""))
    if value.text or not value.known:
        return value
    default = match.group(2)
    return UNKNOWN_WORD if "$" in default or "`" in default else Word(default.strip("\"'"))
