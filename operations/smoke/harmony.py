"""gpt-oss speaks in channels; what a client sees of them where a worker runs without a parser."""

import re

# The special tokens of the harmony format (openai/harmony, docs/format.md).
_MARKS = re.compile(r"<\|(?:start|end|message|channel|constrain|return|call)\|>")
# The same where the special tokens were left out in the decoding: analysisWe need…assistantfinalReady.
_WORDS_OF_CHANNELS = re.compile(r"\Aanalysis\S.*assistant(?:final|commentary)", re.DOTALL)
_CALL = re.compile(r"\bto=functions\.|<\|constrain\|>|<\|call\|>|assistantcommentary")
_TIMES = 10
_LONGEST_UNIT = 80

REASONING_PARSER = "--dyn-reasoning-parser gpt_oss"
TOOL_PARSER = "--dyn-tool-call-parser harmony"


def channel_mark(text: str) -> str:
    """Return the first mark of a channel in a text that a client gets; empty where there is none."""
    found = _MARKS.search(text)
    if found:
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
