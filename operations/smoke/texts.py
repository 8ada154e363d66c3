"""What is wrong with a text that a client gets: channels that nobody parsed, an end that repeats itself."""

import re

from operations.smoke.protocol import Choice, quoted
from operations.smoke.results import Judgement, wrong

REASONING_PARSER = "--dyn-reasoning-parser gpt_oss"
TOOL_PARSER = "--dyn-tool-call-parser harmony"
STOPPED = frozenset({"stop", "length", "tool_calls"})
"""Reasons for which an answer may end."""

# The special tokens of the harmony format (openai/harmony, docs/format.md).
_MARKS = re.compile(r"<\|(?:start|end|message|channel|constrain|return|call)\|>")
# The same where the special tokens were left out in the decoding: analysisWe need…assistantfinalReady.
_WORDS_OF_CHANNELS = re.compile(r"\Aanalysis\S.*assistant(?:final|commentary)", re.DOTALL)
_CALL = re.compile(r"\bto=functions\.|<\|constrain\|>|<\|call\|>|assistantcommentary")
_TIMES = 10
_LONGEST_UNIT = 80


def spoiled(choice: Choice) -> Judgement | None:
    """Return what is wrong with any answer that should be a text; None where nothing is."""
    message, reason = choice.message, choice.finish_reason
    for text in (message.content, message.reasoning_content):
        if found := unparsed(text or "", message.content):
            return found
    if reason not in STOPPED:
        beginning = quoted(message.content) if message.content else "no content"
        return wrong(f"HTTP 200, but finish_reason {reason}: {beginning}", "the worker's log says why")
    if (message.content or "").strip():
        return None
    if reason == "length" and message.reasoning_content:
        return wrong("empty content: the reasoning used every token that the request allowed")
    return wrong(
        f"empty content (finish_reason {reason})", "the worker's log; GET /health lists what is registered"
    )


def unparsed(text: str, shown: str | None = None) -> Judgement | None:
    """Return what is wrong with a text that holds marks of channels; None where it holds none."""
    mark = channel_mark(text)
    if not mark:
        return None
    return wrong(
        f"{mark} in the text: nobody parsed the channels: {quoted(shown or text)}",
        f"{REASONING_PARSER} on every worker",
    )


def channel_mark(text: str) -> str:
    """Return the first mark of a channel in a text that a client gets; empty where there is none."""
    if found := _MARKS.search(text):
        return found[0]
    return "analysis…assistantfinal" if _WORDS_OF_CHANNELS.search(text) else ""


def looks_like_call(text: str, function: str) -> bool:
    """Whether a text is a call of the function that nobody has parsed."""
    return bool(_CALL.search(text)) or bool(re.search(rf'(?:^|["\s]){re.escape(function)}["(]', text))


def repeated_end(text: str) -> str:
    """Return what a text ends in ten times over; empty where it does not.

    NVIDIA's gpt-oss guide: with high effort "the model may produce repeated tokens and fail to stop"; top_p 1
    is its mend.
    """
    end = text.rstrip()
    for length in range(1, _LONGEST_UNIT + 1):
        unit = end[-length:]
        # A line of dashes is no answer that went astray.
        if end.endswith(unit * _TIMES) and any(each.isalnum() for each in unit):
            return unit.strip()
    return ""
