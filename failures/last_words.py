"""What a program said before it ended, in one line."""

import re

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
    shown = lines[-_SHOWN_LINES:]
    while len(shown) > 1 and len(" / ".join(shown)) > _LONGEST:
        shown = shown[1:]
    joined = " / ".join(shown)
    return joined if len(joined) <= _LONGEST else f"{joined[: _LONGEST - 1]}…"


def without_colours(text: str) -> str:
    """Return the text as a terminal shows it, which the runtime's logs colour."""
    return _COLOURS.sub("", text)
