"""Text from a pull request in GitHub's Markdown, where it can neither mention, link nor format anything.

Inside code GitHub expands nothing: no @name, no #number, no link, no HTML. So all such text stands in code
spans and fences, with delimiters longer than any run of backticks inside
(https://spec.commonmark.org/0.31.2/#code-spans, #fenced-code-blocks).
"""

import html
import re
from collections.abc import Iterable

from comparison.sentences import Quoted, Sentence
from resource_graph.printable import one_line

LONGEST = 600
"""Bytes of a quoted text; a longer one loses its middle, and says so."""
_LEFT_OUT = " (... {} bytes ...) "
_BACKTICKS = re.compile(r"`+")
_SHORTEST_FENCE = 3


def code_span(text: str, longest: int = LONGEST) -> str:
    """Return the text on one line as a code span, of at most three times so many bytes and 90 more."""
    line = _shortened(text, longest)
    if not line:
        return "(empty)"
    delimiter = "`" * (_longest_run(line) + 1)
    # A blank on both sides goes again; without it backticks at the ends would belong to the delimiters.
    blank = " " if "`" in line else ""
    return f"{delimiter}{blank}{line}{blank}{delimiter}"


def code_element(text: str) -> str:
    """Return the text on one line as HTML, for the places where Markdown is not read."""
    return f"<code>{html.escape(_shortened(text, LONGEST))}</code>"


def fence(lines: Iterable[str], language: str) -> str:
    """Return the lines, which are printable, as a block of code that none of them can close."""
    text = "\n".join(lines)
    delimiter = "`" * max(_SHORTEST_FENCE, _longest_run(text) + 1)
    return f"{delimiter}{language}\n{text}\n{delimiter}"


def markdown(sentence: Sentence, longest: int = LONGEST) -> str:
    """Return a sentence with what it quotes in code spans, each shortened to so many bytes."""
    return "".join(code_span(each.text, longest) if isinstance(each, Quoted) else each for each in sentence)


def _shortened(text: str, longest: int) -> str:
    # Escapes first: six characters can stand for one.
    content = one_line(text).strip().encode("utf-8", errors="backslashreplace")
    if len(content) <= longest:
        return content.decode("utf-8")
    ends = (content[: longest // 2], content[-(longest // 2) :])
    # A character that is cut in two goes as a whole.
    begin, end = (each.decode("utf-8", errors="ignore") for each in ends)
    return f"{begin}{_LEFT_OUT.format(len(content) - longest)}{end}"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
