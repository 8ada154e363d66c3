"""The text of a shell script, and the place in it that has been reached."""

import re
from dataclasses import dataclass, field

from rules.reading.shapes import Undecided

_CLOSING = {"(": ")", "{": "}"}


@dataclass
class ShellText:
    """Moves on past what it returns."""

    script: str
    position: int = field(default=0, kw_only=True)

    def run(self, pattern: re.Pattern[str]) -> str:
        """Return the longest text of plain characters, at least the one just read."""
        start = self.position - 1
        match = pattern.match(self.script, start)
        self.position = start + 1 if match is None else match.end()
        return self.script[start : self.position]

    def until(self, closing: str) -> str:
        """Return what stands before the closing mark.

        Raises:
            Undecided: there is none.

        """
        end = self.script.find(closing, self.position)
        if end < 0:
            raise Undecided("the start script has a quotation mark without its partner")
        text = self.script[self.position : end]
        self.position = end + 1
        return text

    def bracketed(self, opening: str) -> str:
        """Return what stands in the brackets that are opened here, brackets in them included.

        Raises:
            Undecided: one of them is not closed.

        """
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
