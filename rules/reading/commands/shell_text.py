"""The text of a shell script, split into commands as they are written; no variable is expanded yet.

Published manifests are written in words, quotes, `&&`, `;`, loops, functions and `<<EOF`. Whatever else a
shell knows (arrays, here strings, `<<-`) is undecided.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rules.reading.commands.words import MOST_WORDS
from rules.reading.shapes import Undecided

_SKIPPED = re.compile(r"(?:[ \t\r]|\\\n|#[^\n]*)+")
_SEPARATOR = re.compile(r"&&|\|\||[;&|()\n]")
_REDIRECTION = re.compile(r"(\d*)(<<<|<<-?|[<&>]?>[>&|]?|<&?)[ \t]*")
_HERE_DELIMITER = re.compile(r"(['\"]?)([A-Za-z_]\w*)\1(?=[\s;&|)>]|$)")
_PLAIN = re.compile(r"[^\s;&|()<>'\"\\$`]+")
_PLAIN_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_VARIABLE = re.compile(r"[A-Za-z_]\w*|[?$!#@*\d-]")
_FUNCTION_BODY = re.compile(r"[ \t]*\)\s*(?=\{\s)")
_ENDS_WORD = frozenset(" \t\r\n;&|()<>")
_CLOSING = {"(": ")", "{": "}"}
_OF_A_COMMAND = "$(…)"
_NO_PARTNER = "the start script has a quotation mark or a bracket without its partner"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a word: its text, or the expression of an expansion such as `${TP:-8}`."""

    text: str
    expands: bool = False
    quoted: bool = False


RawWord = tuple[Part, ...]


@dataclass(slots=True)
class RawCommand:
    """Words between two separators, and the separators."""

    before: str
    after: str = ""
    words: list[RawWord] = field(default_factory=list[RawWord])
    output: RawWord | None = None
    """The file that its output goes to."""
    appends: bool = False
    here_document: RawWord | None = None
    """Text on its standard input."""
    body: str | None = None
    """Of the function that the command defines; its last word is the function's name."""


@dataclass(slots=True)
class ShellText:
    """Splits one script."""

    script: str
    _position: int = 0

    def commands(self) -> Iterator[RawCommand]:
        """The commands in the order in which they are written; each is read when it is asked for."""
        command = RawCommand("")
        for _ in range(MOST_WORDS):
            while self._position < len(self.script) and not command.after:
                self._step(command)
            yield command
            if not command.after:
                return
            command = RawCommand(command.after)
        raise Undecided(f"the start script has more than {MOST_WORDS:,} commands")

    def _step(self, command: RawCommand) -> None:
        if self._next(_SKIPPED) is not None:
            return
        redirection = self._next(_REDIRECTION)
        if redirection is not None:
            self._redirect(command, *redirection.groups())
            return
        separator = self._next(_SEPARATOR)
        if separator is None:
            command.words.append(self._word())
            if len(command.words) > MOST_WORDS:
                raise Undecided(f"the start script has a command of more than {MOST_WORDS:,} words")
            return
        command.after = separator.group()
        if command.after != "(" or not command.words:
            return
        name = "".join(part.text for part in command.words[-1])
        if name.endswith("="):
            raise Undecided(f"the start script sets an array, {name.rstrip('+=')}")
        if self._next(_FUNCTION_BODY) is not None:
            command.body, command.after = self._bracketed("{"), ";"

    def _redirect(self, command: RawCommand, descriptor: str, operator: str) -> None:
        if operator == "<<":
            command.here_document = self._here_document()
            return
        if operator.startswith("<<"):
            raise Undecided(f"the start script uses {operator}")
        target = self._word()
        if operator in {">", ">>", ">|", "&>"} and descriptor in {"", "1"}:
            command.output, command.appends = target, operator == ">>"

    def _here_document(self) -> RawWord:
        """Take the document out of the script, which then goes on where it ended."""
        opening = self._next(_HERE_DELIMITER)
        line, newline, following = self.script[self._position :].partition("\n")
        if opening is None or line.count("'") % 2 or line.count('"') % 2:
            raise Undecided("the start script has a here document of an unusual form")
        quote, delimiter = opening.groups()
        end = re.search(rf"^{delimiter}$", following, re.MULTILINE)
        if end is None:
            raise Undecided(f"the start script has a here document that no line {delimiter} ends")
        self.script = self.script[: self._position] + line + newline + following[end.end() + 1 :]
        body = following[: end.start()]
        return (Part(body, quoted=True),) if quote else ShellText(body).quoted("")

    def _word(self) -> RawWord:
        parts: list[Part] = []
        while self._position < len(self.script) and self.script[self._position] not in _ENDS_WORD:
            plain = self._next(_PLAIN)
            if plain is not None:
                parts.append(Part(plain.group()))
                continue
            match self._character():
                case "'":
                    parts.append(Part(self._until("'"), quoted=True))
                case '"':
                    parts.extend(self.quoted('"') or (Part("", quoted=True),))
                case "\\":
                    escaped = self._character()
                    parts.append(Part("" if escaped == "\n" else escaped))
                case opening:
                    parts.append(self._expansion(opening, quoted=False))
        return tuple(parts)

    def quoted(self, closing: str) -> RawWord:
        """What stands before the closing mark; a here document, which has none, ends with the script."""
        parts: list[Part] = []
        while self._position < len(self.script):
            plain = self._next(_PLAIN_IN_QUOTES)
            character = plain.group() if plain is not None else self._character()
            if character == closing:
                return tuple(parts)
            if character == "\\" and self.script[self._position : self._position + 1] in {*"$`\\\n", closing}:
                escaped = self._character()
                character = "" if escaped == "\n" else escaped
            elif character in {"$", "`"}:
                parts.append(self._expansion(character, quoted=True))
                continue
            parts.append(Part(character, quoted=True))
        if closing:
            raise Undecided(_NO_PARTNER)
        return tuple(parts)

    def _expansion(self, opening: str, *, quoted: bool) -> Part:
        if opening == "`":
            self._until("`")
            return Part(_OF_A_COMMAND, expands=True, quoted=quoted)
        following = self.script[self._position : self._position + 1]
        if following in _CLOSING:
            text = self._bracketed(following)
            is_sum = following == "(" and text.startswith("(")
            return Part(text if following == "{" or is_sum else _OF_A_COMMAND, expands=True, quoted=quoted)
        name = self._next(_VARIABLE)
        return Part("$") if name is None else Part(name.group(), expands=True, quoted=quoted)

    def _bracketed(self, opening: str) -> str:
        """What stands in the brackets that are opened here, brackets in them included."""
        start, depth = self._position + 1, 0
        while self._position < len(self.script):
            character = self._character()
            if character == "\\":
                self._position += 1
            elif character == opening:
                depth += 1
            elif character == _CLOSING[opening]:
                depth -= 1
                if depth == 0:
                    return self.script[start : self._position - 1]
        raise Undecided(_NO_PARTNER)

    def _until(self, closing: str) -> str:
        text, found, _ = self.script[self._position :].partition(closing)
        if not found:
            raise Undecided(_NO_PARTNER)
        self._position += len(text) + 1
        return text

    def _character(self) -> str:
        character = self.script[self._position : self._position + 1]
        self._position += 1
        return character

    def _next(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern finds here, which is passed then."""
        match = pattern.match(self.script, self._position)
        if match is not None:
            self._position = match.end()
        return match
