"""The commands of a start script as they are written: words, redirections, here documents; none expanded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rules.reading.shapes import Undecided

NAME = "[A-Za-z_][A-Za-z0-9_]*"
_EXPANSION = rf"\$(?:\((?:[^()]|\([^()]*\))*\)|\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}|{NAME}|[?$!#@*0-9-])|`[^`]*`"
# A dollar sign that begins nothing.
_DOLLAR = r"\$(?![A-Za-z_({?$!#@*0-9-])"
_QUOTED = rf'"(?:[^"\\$`]|\\.|{_EXPANSION}|{_DOLLAR})*"'
_TOKEN = re.compile(
    rf"(?P<blank>(?:[ \t\r]|\\\n)+|\#[^\n]*)"
    rf"|(?P<redirection>\d*(?:<<<|<<-?|[<&]?>[>&|]?|<&?)[ \t]*)"
    rf"|(?P<separator>&&|\|\||[;&|()\n])"
    rf"|(?P<word>(?:[^\s;&|()<>'\"\\$`]|\\.|'[^']*'|{_QUOTED}|{_EXPANSION}|{_DOLLAR})+)",
    re.DOTALL,
)
PIECE = re.compile(
    rf"'(?P<literal>[^']*)'|(?P<quoted>{_QUOTED})|\\(?P<escaped>.)|(?P<expansion>{_EXPANSION})"
    r"|(?P<plain>[^'\"\\$`]+|\$)",
    re.DOTALL,
)
# What a dollar sign opens and nothing closes is unknown.
PIECE_IN_QUOTES = re.compile(
    rf"\\(?P<escaped>[\"$`\\\n])|(?P<expansion>{_EXPANSION}|\$(?=[({{]))|(?P<plain>[^\\$`]+|.)", re.DOTALL
)
LITERAL = re.compile(r"(?P<plain>.+)", re.DOTALL)
_HERE_DELIMITER = re.compile(r"(['\"]?)([A-Za-z_]\w*)\1(?=[\s;&|)>]|$)")
_SHOWN = 40
"""Characters of a script that a message shows."""


class BrokenScript(Undecided):
    """What no shell can read: it ends with a syntax error."""


@dataclass(slots=True)
class WrittenCommand:
    """A command as it is written, between two separators."""

    before: str
    after: str = ""
    words: list[str] = field(default_factory=list[str])
    output: str | None = None
    """The file that its output goes to; empty where only a shell knows."""
    appends: bool = False
    document: str | None = None
    """Text on its standard input."""
    pieces: re.Pattern[str] = LITERAL
    """What is replaced in that text."""


def written_commands(script: str) -> Iterator[WrittenCommand]:
    """All commands of the script in the order in which they are written.

    Raises:
        Undecided: the script has a form that is not read here.
        BrokenScript: no shell can read it.
    """
    command = WrittenCommand("")
    position = 0
    while position < len(script):
        token = _TOKEN.match(script, position)
        if token is None:
            raise _without_partner(script, position)
        position = token.end()
        text = token.group()
        if token.lastgroup == "word":
            command.words.append(text)
        elif token.lastgroup == "separator":
            if text == "(" and command.words and command.words[-1].endswith("="):
                raise Undecided(f"the start script sets an array, {command.words[-1].rstrip('+=')}")
            command.after = text
            yield command
            command = WrittenCommand(text)
        elif token.lastgroup == "redirection" and text.strip() == "<<":
            script, position = _with_document(command, script, position)
        elif token.lastgroup == "redirection":
            position = _redirected(command, text.strip(), script, position)
    yield command


def _without_partner(script: str, position: int) -> Undecided:
    """Why the script cannot be read from a position on."""
    mark, following = script[position], script[position + 1 :]
    # Of $'...' a backslash keeps the mark, which other quotation marks do not know.
    if mark in "'\"" and mark not in following and "$'" not in script:
        shown = " ".join(following.split())[:_SHOWN]
        return BrokenScript(f"the start script opens a quotation mark that nothing closes, before {shown!r}")
    return Undecided("the start script has a quotation mark or a bracket whose partner is not found here")


def _with_document(command: WrittenCommand, script: str, position: int) -> tuple[str, int]:
    """Take the here document out of the script, which then goes on where the document began."""
    opening = _HERE_DELIMITER.match(script, position)
    position = position if opening is None else opening.end()
    line, newline, following = script[position:].partition("\n")
    end = None if opening is None else re.search(rf"^{opening[2]}$", following, re.MULTILINE)
    if opening is None or end is None or line.count("'") % 2 or line.count('"') % 2:
        raise Undecided("the start script has a here document of an unusual form, or one without an end")
    command.document = following[: end.start()]
    if not opening[1]:
        # A quotation mark means nothing there, so that a backslash before it stays.
        command.document, command.pieces = command.document.replace('\\"', '\\\\"'), PIECE_IN_QUOTES
    return script[:position] + line + newline + following[end.end() + 1 :], position


def _redirected(command: WrittenCommand, operator: str, script: str, position: int) -> int:
    if "<<" in operator:
        raise Undecided(f"the start script uses {operator}")
    target = _TOKEN.match(script, position)
    is_word = target is not None and target.lastgroup == "word"
    if operator.removeprefix("1") in {">", ">>", ">|", "&>"}:
        command.output = target.group() if target is not None and is_word else ""
        command.appends = operator.endswith(">>")
    return target.end() if target is not None and is_word else position
