"""Splits a shell script into simple commands, expanding the variables whose values are known.

Not a shell: it reads what the start scripts of containers are made of, and where a script does more
(`eval`, sourced files, here strings) it says so instead of guessing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rules.reading.commands.shell_text import (
    PARAMETER,
    Array,
    RawCommand,
    Redirection,
    ShellText,
    expand_parameter,
)
from rules.reading.commands.words import MOST_WORDS, UNKNOWN_WORD, Word
from rules.reading.shapes import Undecided

_PLAIN = re.compile(r"[A-Za-z0-9_./:=,@%+-]+")
_PLAIN_IN_QUOTES = re.compile(r'[^"\\$`]+')
_HERE_DELIMITER = re.compile(r"(-?)[ \t]*(['\"]?)(\\?)([A-Za-z0-9_.!@%+-]+)\2(?=[\s;&|)>]|$)")
_ARRAY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_BEFORE_ARRAY = frozenset({"then", "else", "do", "{", "local", "declare", "readonly", "-a"})
_ALL_ELEMENTS = re.compile(r"(\"?)\$\{([A-Za-z_][A-Za-z0-9_]*)\[@\]\}\1(?=[\s;&|)]|$)")
_ENDS_COMMAND = frozenset(";&|()\n")
_FUNCTION_BODY = re.compile(r"[ \t]*\)\s*(?=\{\s)")
_MOST_EXPANDED = 1_000_000
"""Characters that the variables of one script may stand for, one variable after another."""


@dataclass
class ShellReader(ShellText):
    """Reads one script; `environment` may be changed between commands, as a shell would."""

    environment: dict[str, Word] = field(default_factory=dict[str, Word])
    arrays: dict[str, tuple[Word, ...]] = field(default_factory=dict[str, tuple[Word, ...]])
    functions: dict[str, str] = field(default_factory=dict[str, str])
    """Name -> body of each function that was defined so far."""
    expanded: int = 0
    """Number of characters that variables stood for so far."""
    _subshells: list[dict[str, Word] | None] = field(default_factory=list[dict[str, Word] | None])
    """What was set before each open subshell; None for an open `case`."""
    _words: list[Word] = field(default_factory=list[Word])
    _word: Word | None = None
    _redirected: str = ""
    """The operator whose file the next word names."""
    _output: Redirection | None = None
    _here_document: Word | None = None
    _array: Array | None = None
    _here_line: int = -1
    """Position of the end of the line whose here documents were read already; `_here_end` is where they
    end."""
    _here_end: int = 0

    def commands(self) -> Iterator[RawCommand]:
        """The simple commands in order; each is read only when it is asked for."""
        separator = ""
        for _ in range(MOST_WORDS):
            ended = None
            while ended is None and self.position < len(self.script):
                ended = self._step()
            self._end_word()
            if ended == "(" and self._is_function():
                self._words = []
                continue
            if self._words or self._array is not None:
                output, here_document = self._output, self._here_document
                yield RawCommand(tuple(self._words), separator, output, here_document, self._array)
            if ended is None:
                return
            self._follow_subshells(ended)
            self._words, self._output, self._here_document, self._array = [], None, None, None
            separator = ended
        raise Undecided(f"the start script has more than {MOST_WORDS:,} commands")

    def _step(self) -> str | None:
        character = self.script[self.position]
        if character == "(" and self._is_array():
            return None
        if 0 <= self._here_line <= self.position:
            if self.position > self._here_line:
                raise Undecided("the start script has a here document beside a text of several lines")
            self._end_word()
            self.position, self._here_line = self._here_end, -1
            return character
        if character in _ENDS_COMMAND:
            self._end_word()
            self.position += 1
            return self.separator(character)
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

    def _follow_subshells(self, ended: str) -> None:
        """What a subshell set is forgotten at its end; a bracket after a pattern of `case` is none's."""
        first = self._words[0].text if self._words and self._words[0].known else ""
        if first == "case":
            self._subshells.append(None)
        elif first == "esac" and self._subshells and self._subshells[-1] is None:
            self._subshells.pop()
        if ended == "(":
            self._subshells.append(dict(self.environment))
        elif ended == ")" and self._subshells and (before := self._subshells[-1]) is not None:
            self._subshells.pop()
            self.environment.clear()
            self.environment.update(before)

    def _is_function(self) -> bool:
        """Whether the bracket stands after the name of a function, whose body is kept then."""
        name = self._words[-1] if self._words else UNKNOWN_WORD
        opening = _FUNCTION_BODY.match(self.script, self.position)
        if opening is None or not name.known or PARAMETER.fullmatch(name.text.replace("-", "_")) is None:
            return False
        self.position = opening.end()
        self.functions[name.text] = self.bracketed("{")
        return True

    def _is_array(self) -> bool:
        """Whether the bracket opens the elements of an array, which are read then."""
        opening = None if self._word is None else _ARRAY.fullmatch(self._word.text)
        if opening is None or not all(word.text in _BEFORE_ARRAY for word in self._words):
            return False
        name, adds = opening.groups()
        before, self._words = self._words, []
        self._word = None
        self.position += 1
        while self.script[self.position : self.position + 1] not in {")", ""}:
            if self.script[self.position] == "(":
                raise Undecided(f"the start script has a bracket in its array {name}")
            self._step()
        self._end_word()
        self.position += 1
        earlier = self.arrays.get(name, (UNKNOWN_WORD,)) if adds else ()
        self._array = Array(name, (*earlier, *self._words))
        self._words = before
        return True

    def _part(self, character: str) -> None:
        elements = None if self._word is not None else _ALL_ELEMENTS.match(self.script, self.position)
        if elements is not None:
            self.position = elements.end()
            # No element stands for no word, not for an empty one.
            self._add_words(self.arrays.get(elements.group(2), (UNKNOWN_WORD,)))
            return
        self.position += 1
        if character == "'":
            self._append(Word(self.until("'")))
        elif character == '"':
            self._append(self._quoted('"'))
        elif character == "\\":
            self._escape()
        elif character == "$":
            self._unquoted_expansion()
        elif character == "`":
            self.until("`")
            self._append(UNKNOWN_WORD)
        else:
            self._append(Word(self.run(_PLAIN)))

    def _escape(self) -> None:
        escaped = self.script[self.position : self.position + 1]
        self.position += 1
        if escaped != "\n":
            self._append(Word(escaped))

    def _quoted(self, closing: str) -> Word:
        """What stands before the closing mark; a here document, which has none, ends with the script."""
        word = Word("")
        escapable = {*"$`\\\n", closing}
        while self.position < len(self.script):
            character = self.script[self.position]
            self.position += 1
            if character == closing:
                return word
            if character == "\\" and self.script[self.position : self.position + 1] in escapable:
                escaped = self.script[self.position]
                self.position += 1
                word += Word("" if escaped == "\n" else escaped)
            elif character == "$":
                word += self._expansion()
            elif character == "`":
                self.until("`")
                word += UNKNOWN_WORD
            else:
                word += Word(self.run(_PLAIN_IN_QUOTES))
        if not closing:
            return word
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
        value = self._value()
        self.expanded += len(value.text)
        if self.expanded > _MOST_EXPANDED:
            raise Undecided(f"the start script's variables stand for more than {_MOST_EXPANDED:,} characters")
        return value

    def _value(self) -> Word:
        following = self.script[self.position : self.position + 1]
        if following == "(":
            self.bracketed("(")
            return UNKNOWN_WORD
        if following == "{":
            return expand_parameter(self.bracketed("{"), self.environment)
        match = PARAMETER.match(self.script, self.position)
        if match is not None:
            self.position = match.end()
            return self.environment.get(match.group(), UNKNOWN_WORD)
        if following and following in "?$!#@*-0123456789":
            self.position += 1
            # In a function these are the arguments of its call.
            return self.environment.get(following, UNKNOWN_WORD)
        return Word("$")

    def _redirection(self) -> None:
        descriptor = ""
        if self._word is not None and self._word.text.isdigit():
            descriptor, self._word = self._word.text, None
        self._end_word()
        operator = self.script[self.position]
        self.position += 1
        if operator == "<" and self.script[self.position : self.position + 1] == "<":
            self.position += 1
            self._read_here_document()
            return
        while self.script[self.position : self.position + 1] in {">", "&", "|"}:
            operator += self.script[self.position]
            self.position += 1
        to_file = operator in {">", ">>", ">|"} and descriptor in {"", "1"}
        self._redirected = operator if to_file else "<"

    def _read_here_document(self) -> None:
        opening = _HERE_DELIMITER.match(self.script, self.position)
        if opening is None:
            raise Undecided("the start script uses a here string, or a here document of an unusual form")
        self.position = opening.end()
        if self._here_line < 0:
            self._here_line = self.script.find("\n", self.position)
            self._here_end = self._here_line + 1
        tabs, quote, backslash, delimiter = opening.groups()
        indent = r"\t*" if tabs else ""
        closing = re.compile(rf"^{indent}{re.escape(delimiter)}$", re.MULTILINE)
        end = None if self._here_line < 0 else closing.search(self.script, self._here_end)
        if end is None:
            raise Undecided(f"the start script has a here document that no line {delimiter} ends")
        body = self.script[self._here_end : end.start()]
        self._here_end = end.end() + 1
        if tabs:
            body = re.sub(r"^\t+", "", body, flags=re.MULTILINE)
        self._here_document = Word("") + Word(body) if quote or backslash else self._expanded(body)

    def _expanded(self, body: str) -> Word:
        reader = ShellReader(body, self.environment, self.arrays, self.functions, expanded=self.expanded)
        word = reader._quoted("")
        self.expanded = reader.expanded
        return word

    def _append(self, part: Word) -> None:
        self._word = part if self._word is None else self._word + part

    def _end_word(self) -> None:
        if self._word is None:
            return
        if not self._redirected:
            self._add_words((self._word,))
        elif self._redirected != "<":
            self._output = Redirection(self._word, self._redirected == ">>")
        self._redirected, self._word = "", None

    def _add_words(self, words: Sequence[Word]) -> None:
        self._words.extend(words)
        if len(self._words) > MOST_WORDS:
            raise Undecided(f"the start script has a command of more than {MOST_WORDS:,} words")
