"""Why a wait ended without what it waited for, the last words of a program, and how a person reads both."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from resource_graph.printable import one_line


@dataclass(frozen=True, slots=True)
class Subject:
    """The object that was waited for."""

    kind: str
    name: str
    namespace: str | None
    """Namespace of the object; None for what lies in no namespace."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a wait ended without what it waited for."""

    title: str
    """The object in words: "graph gpt-oss-disagg"."""
    waits_for: str
    """The condition that had to become true."""
    page: str
    """The page of docs/runbook, without its ending."""
    reasons: Sequence[str] = field(default_factory=tuple)
    """Causes in the words of Kubernetes, a line each; empty where nobody could look."""
    look: str = ""
    """The command that shows it."""
    then: str = "mend that, then run `pulumi up` again: it continues from here"

    def text(self, *, early: bool = False) -> str:
        """Return the message; `early` where the wait is not waited out, because of what is wrong now."""
        end = " early: more waiting does not help" if early else ""
        lines = [
            f"The wait for {self.title} ended{end}.",
            f"It waits until {self.waits_for}.",
        ]
        if self.reasons:
            lines += ["What is wrong now:", *(f"  {one_line(reason)}" for reason in self.reasons)]
        if self.look:
            lines.append(f"See: {self.look}")
        lines += [f"What to do: {self.then}.", f"Runbook: docs/runbook/{self.page}.md"]
        return "\n".join(lines)


_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TRACEBACK = "Traceback (most recent call last):"
# Frames of a traceback and options of a usage fill lines without saying what was wrong.
_INSIDE = ("    ", "\t", '  File "')
_SHOWN_LINES = 3
_LONGEST = 600


def last_words(text: str) -> str:
    """Return the last lines that say something, joined by slashes; empty where there are none."""
    plain = without_colours(text).rpartition(_TRACEBACK)[2].splitlines()
    lines = [" ".join(line.split()) for line in plain if line.strip() and not line.startswith(_INSIDE)]
    joined = " / ".join(lines[-_SHOWN_LINES:])
    if len(joined) > _LONGEST:
        joined = lines[-1]
    return joined if len(joined) <= _LONGEST else f"{joined[: _LONGEST - 1]}…"


def without_colours(text: str) -> str:
    """Return the text as a terminal shows it, which the runtime's logs colour."""
    return _COLOURS.sub("", text)
