"""What each answer is worth: pure functions from an answer to a finding."""

import json
from collections.abc import Sequence
from dataclasses import replace

from operations.smoke.bodies import TOOL
from operations.smoke.client import Answer
from operations.smoke.finding import Finding, WrongAnswer, good, wrong
from operations.smoke.protocol import (
    REASONING_PARSER,
    TOOL_PARSER,
    Choice,
    Chunk,
    Completion,
    ResponsesAnswer,
    ToolCall,
    channel_mark,
    looks_like_call,
    quoted,
    read,
    read_text,
    refusal,
    repeated_end,
)

_DONE = "[DONE]"
_STOPPED = frozenset({"stop", "length", "tool_calls"})


def judge_chat(answer: Answer) -> Finding:
    """Return whether an answer is a sentence."""
    choice = _choice(answer)
    return _spoiled(choice) or good(quoted(choice.message.content or ""))


def judge_stream(answer: Answer) -> Finding:
    """Return whether a stream comes in pieces, and to its end."""
    chunks = read_stream(answer)
    texts = [text for _, chunk in chunks if (text := _text_of(chunk))]
    ends = [each.finish_reason for _, chunk in chunks for each in chunk.choices if each.finish_reason]
    whole = "".join(texts)
    if unparsed := _unparsed(whole):
        return unparsed
    if not texts:
        return wrong(f"{len(chunks)} events and no text in any of them")
    if not ends or ends[-1] not in _STOPPED:
        return wrong(f"the stream ends without a finish_reason after {len(texts)} pieces of text")
    if len(texts) == 1:
        return wrong("the whole answer in one event: something collects the stream on its way")
    seconds, _ = first_token(answer)
    return good(f"{len(texts)} pieces, the first after {seconds:.2f} s")


def first_token(answer: Answer) -> tuple[float, int | None]:
    """Return the seconds until the first text, and the tokens of the prompt where the frontend counts them.

    Raises:
        WrongAnswer: no text came.

    """
    chunks = read_stream(answer)
    seconds = next((seconds for seconds, chunk in chunks if _text_of(chunk)), None)
    if seconds is None:
        raise WrongAnswer(wrong(f"{len(chunks)} events and no text in any of them"))
    counted = next((chunk.prompt_tokens for _, chunk in reversed(chunks) if chunk.prompt_tokens), None)
    return seconds, counted


def read_stream(answer: Answer) -> Sequence[tuple[float, Chunk]]:
    """Return the events with their times; raises WrongAnswer, also for an error among them."""
    if answer.status != 200:  # noqa: PLR2004 - OK
        raise WrongAnswer(refusal(answer.status, answer.text))
    if not answer.events:
        # An error inside would be said here too.
        read_text(answer.text, Completion, "a stream")
        raise WrongAnswer(wrong("a whole answer, and no stream of events"))
    return [
        (seconds, read_text(data, Chunk, "a piece of a chat completion"))
        for seconds, data in answer.events
        if data != _DONE
    ]


def judge_responses(answer: Answer) -> Finding:
    """Return whether an answer of /v1/responses has text."""
    found = read(answer, ResponsesAnswer, "a response")
    texts = [
        part.text or "" for item in found.output if item.type == "message" for part in item.content or ()
    ]
    text = "".join(texts)
    if unparsed := _unparsed(text):
        return unparsed
    if not text.strip():
        kinds = ", ".join(item.type for item in found.output) or "nothing"
        return wrong(f"no text in it; the output holds {kinds}")
    return good(quoted(text))


def called(answer: Answer, lost_calls: str = "") -> ToolCall:
    """Return the call in an answer.

    Args:
        answer: to a question that offers a tool.
        lost_calls: why this release may have lost the call.

    Raises:
        WrongAnswer: there is none, with what is there instead.

    """
    choice = _choice(answer)
    message = choice.message
    if message.tool_calls:
        return _checked(message.tool_calls[0], choice.finish_reason)
    said = f"{message.content or ''}{message.reasoning_content or ''}"
    mark = channel_mark(said)
    # In its reasoning a model may well speak of the tool.
    if mark or looks_like_call(message.content or "", TOOL):
        found = f"no tool_calls, and the content holds the call unparsed: {quoted(said)}"
        raise WrongAnswer(wrong(found, f"{TOOL_PARSER} on every worker"))
    # A call that was dropped leaves nothing, or what stood beside it.
    cause = f"{lost_calls}; else " if lost_calls and choice.finish_reason == "stop" else ""
    finding = _spoiled(choice)
    if finding:
        raise WrongAnswer(replace(finding, fix=f"{cause}{finding.fix}"))
    found = f"no tool_calls (finish_reason {choice.finish_reason}); it says {quoted(said)}"
    fix = (
        f"{cause}run it again: a model may answer by itself; if it never calls, {TOOL_PARSER} on every worker"
    )
    raise WrongAnswer(wrong(found, fix, needs_model=True))


def judge_tool_result(answer: Answer) -> Finding:
    """Return whether the answer after the tool's result is a sentence."""
    choice = _choice(answer)
    if choice.message.tool_calls:
        return wrong("it calls the tool again instead of using the result", needs_model=True)
    finding = _spoiled(choice)
    if finding:
        return wrong(f"after the tool's result: {finding.found}", finding.fix)
    return good(f"calls {TOOL}, then answers {quoted(choice.message.content or '')}")


def judge_reasoning(answer: Answer, effort: str) -> Finding:
    """Return whether reasoning comes apart from the answer."""
    choice = _choice(answer)
    content, thought = choice.message.content or "", choice.message.reasoning_content or ""
    repeated = repeated_end(thought + content)
    if repeated:
        return wrong(f"ends in {quoted(repeated)} ten times over: it does not stop by itself")
    # With high effort all tokens may go into the reasoning, and rightly so.
    is_cut = effort == "high" and bool(thought) and choice.finish_reason == "length"
    finding = None if is_cut else _spoiled(choice)
    if finding:
        return finding
    if not thought.strip():
        found = f"no reasoning_content; it says {quoted(content)}"
        return wrong(found, f"{REASONING_PARSER} on every worker", needs_model=True)
    rest = "no token left for an answer" if not content else quoted(content)
    return good(f"{len(thought.split())} words of reasoning, then {rest}")


def _choice(answer: Answer) -> Choice:
    return read(answer, Completion, "a chat completion").choices[0]


def _spoiled(choice: Choice) -> Finding | None:
    """What is wrong with any answer that should be a text; None where nothing is."""
    message, reason = choice.message, choice.finish_reason
    for text in (message.content, message.reasoning_content):
        if unparsed := _unparsed(text or "", message.content):
            return unparsed
    if reason not in _STOPPED:
        beginning = quoted(message.content) if message.content else "no content"
        return wrong(f"HTTP 200, but finish_reason {reason}: {beginning}", "the worker's log says why")
    if (message.content or "").strip():
        return None
    if reason == "length" and message.reasoning_content:
        return wrong("empty content: the reasoning used every token that the request allowed")
    return wrong(
        f"empty content (finish_reason {reason})", "the worker's log; GET /health lists what is registered"
    )


def _unparsed(text: str, shown: str | None = None) -> Finding | None:
    """What is wrong with a text that holds marks of channels; None where it holds none."""
    mark = channel_mark(text)
    if not mark:
        return None
    return wrong(
        f"{mark} in the text: nobody parsed the channels: {quoted(shown or text)}",
        f"{REASONING_PARSER} on every worker",
    )


def _checked(call: ToolCall, reason: str | None) -> ToolCall:
    function = call.function
    if function.name != TOOL:
        raise WrongAnswer(wrong(f"it calls {quoted(function.name)}, and only {TOOL} was offered"))
    try:
        arguments = json.loads(function.arguments or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise WrongAnswer(wrong(f"the call's arguments are no JSON object: {quoted(function.arguments)}"))
    if reason != "tool_calls":
        raise WrongAnswer(wrong(f"a call with finish_reason {reason}, where clients look for tool_calls"))
    return call


def _text_of(chunk: Chunk) -> str:
    said = (each.message for each in chunk.choices)
    return "".join((each.reasoning_content or "") + (each.content or "") for each in said)
