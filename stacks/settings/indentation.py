"""Which line of a YAML file is indented wrongly, where the parser only says where it gave up."""

import re
from dataclasses import dataclass

_LINE = re.compile(r"(?P<indent> *)(?P<item>(?:- +)*)(?P<text>[^\s#].*)")
# A key whose mapping begins on the next line; a comment may follow it.
_OPENS = re.compile(r"[^\s#].*:(\s+#.*)?$")


@dataclass(frozen=True, slots=True)
class WrongIndent:
    """A line that stands in no column of the lines before it."""

    line: int
    """Counted from 1."""
    words: str


def wrong_indent(text: str, last: int) -> WrongIndent | None:
    """Return the first such line among the first `last` lines; None where the mistake is another one."""
    columns: list[int] = []
    before, opened = 0, True
    for number, line in enumerate(text.splitlines()[:last], 1):
        found = _LINE.fullmatch(line.rstrip())
        if found is None:
            continue
        column = len(found["indent"])
        if columns and column > columns[-1] and not opened:
            shallow = f"line {before} by {columns[-1]}, and nothing can stand below what that holds"
            return WrongIndent(number, f"this line is indented by {column} spaces, {shallow}")
        while columns and column < columns[-1]:
            columns.pop()
        if columns and column != columns[-1] and not opened:
            return WrongIndent(
                number, f"this line is indented by {column} spaces, as no line of its block is"
            )
        columns += [column] if not columns or column > columns[-1] else []
        if found["item"]:
            columns.append(column + len(found["item"]))
        before, opened = number, _OPENS.fullmatch(found["text"]) is not None
    return None
