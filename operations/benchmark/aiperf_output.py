"""What AIPerf prints while it runs: how far it is, and why it ended.

Source: aiperf 0.13.0 with --ui simple.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from failures.last_words import without_colours

_BAR = re.compile(r"\b(Warmup|Profiling): +([\d,]+)/([\d,]+)")
_FRAME = "│╭╮╰╯─"
_REASON, _NEXT_FIELDS = "Reason:", ("Cause:", "•", "Service:", "Operation:", "Error:")
_ALL_FAILED = "All "
"""Begins AIPerf's words where no request was answered; the reason is in the error of each request."""
_LOGGED_ERROR = re.compile(r"\b(?:ERROR|CRITICAL)\s+(.*)")


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """How far a load is."""

    step: str
    """What AIPerf does: Warmup or Profiling."""
    done: int
    total: int


def read_progress(line: str) -> LoadProgress | None:
    """Return what a line says of the progress; None for any other line."""
    found = _BAR.findall(without_colours(line))
    if not found:
        return None
    step, done, total = found[-1]
    return LoadProgress(step, int(done.replace(",", "")), int(total.replace(",", "")))


def failure_reason(lines: Iterable[str]) -> str:
    """Return why AIPerf ended: the first reason that it gives, else its last error, else its last words."""
    plain = [without_colours(line).strip().strip(_FRAME).strip() for line in lines]
    said = [line for line in plain if line and read_progress(line) is None]
    given, error = _given_reason(said), _last_error(said)
    if given and given.startswith(_ALL_FAILED) and error:
        return f"{given} The last of them: {error}"
    return given or error or (said[-1] if said else "it says nothing")


def _given_reason(lines: list[str]) -> str | None:
    start = next((number for number, line in enumerate(lines) if line.startswith(_REASON)), None)
    if start is None:
        return None
    words = [lines[start].removeprefix(_REASON).strip()]
    for line in lines[start + 1 :]:
        if line.startswith((*_NEXT_FIELDS, "Log File:")):
            break
        words.append(line)
    return " ".join(words)


def _last_error(lines: list[str]) -> str | None:
    found = [match[1] for line in lines if (match := _LOGGED_ERROR.search(line))]
    return next((error for error in reversed(found) if not error.startswith(_ALL_FAILED)), None)
