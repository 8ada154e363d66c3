"""The parts of a frontend's answers that the checks read, and what is wrong with an answer without them."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, AliasPath, BaseModel, Field, Json, ValidationError

from operations.document import CheckResult, wrong
from operations.smoke.client import Answer
from operations.smoke.results import WrongAnswer


class _Part(BaseModel):
    error: None = None
    """An answer that carries an error is none of these, whatever its status."""


class Instance(_Part):
    """A process that has registered itself."""

    namespace: str
    component: str
    endpoint: str


class Health(_Part):
    """GET /health."""

    instances: tuple[Instance, ...]


class ListedModel(_Part):
    """A model that the frontend serves."""

    id: str


class ModelList(_Part):
    """GET /v1/models."""

    data: tuple[ListedModel, ...]


class ToolFunction(_Part):
    """The function that a model calls."""

    name: str
    arguments: Json[dict[str, Any]]


class ToolCall(_Part):
    """One call in an answer."""

    id: str
    function: ToolFunction


class Message(_Part):
    """What the model says, or a piece of it."""

    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None


class Choice(_Part):
    """One of several answers; the checks ask for one."""

    message: Annotated[Message, Field(validation_alias=AliasChoices("message", "delta"))]
    finish_reason: str | None = None


class Completion(_Part):
    """POST /v1/chat/completions."""

    choices: Annotated[tuple[Choice, ...], Field(min_length=1)]


class Chunk(_Part):
    """One event of a stream; the one that counts tokens has no choice."""

    choices: tuple[Choice, ...]
    prompt_tokens: Annotated[int | None, Field(validation_alias=AliasPath("usage", "prompt_tokens"))] = None
    """None where the frontend did not count them."""

    @property
    def text(self) -> str:
        """What the model says in it, reasoning too."""
        said = (each.message for each in self.choices)
        return "".join((each.reasoning_content or "") + (each.content or "") for each in said)


class OutputItem(_Part):
    """A message of an answer of /v1/responses, the reasoning before it, or a part of either."""

    type: str
    text: str | None = None
    content: "tuple[OutputItem, ...] | None" = None


class ResponsesAnswer(_Part):
    """POST /v1/responses."""

    output: tuple[OutputItem, ...]


Part = TypeVar("Part", bound=_Part)
"""Any of these."""


_OK = 200
_LONGEST_QUOTE = 80
_LONGEST_REFUSAL = 200
WANTS_KEY = "a gateway in front of it wants a key: --api-key-from VARIABLE"
"""What helps where waiting does not."""
_FIXES = {
    401: WANTS_KEY,
    403: WANTS_KEY,
    404: "a frontend that misses a worker answers so too: GET /health lists which have registered",
    500: "the logs of frontend and workers say why",
    503: "a worker is missing, or all of them are busy: GET /health lists which have registered",
}


def read(answer: Answer, form: type[Part], what: str) -> Part:
    """Return the answer's parts; raises WrongAnswer, with its reason.

    Args:
        answer: what the frontend sent.
        form: what it should be.
        what: the same in words, as in "a chat completion".

    """
    if answer.status != _OK:
        said = quoted(answer.text, _LONGEST_REFUSAL) if answer.text.strip() else "with nothing in it"
        raise WrongAnswer(wrong(f"HTTP {answer.status}: {said}", _FIXES.get(answer.status, "")))
    return _parsed(answer.text, form, what)


def read_stream(answer: Answer) -> Sequence[tuple[float, Chunk]]:
    """Return the events with their times; raises WrongAnswer, also for an error among them."""
    if not answer.events:
        # An error inside would be said here too.
        read(answer, Completion, "a stream")
        raise WrongAnswer(wrong("a whole answer, and no stream of events"))
    return [
        (seconds, _parsed(data, Chunk, "a piece of a chat completion"))
        for seconds, data in answer.events
        if data != "[DONE]"
    ]


def quoted(text: str, longest: int = _LONGEST_QUOTE) -> str:
    """Return the beginning of a text in quotes, on one line."""
    line = " ".join(text.split())
    return f"'{line if len(line) <= longest else f'{line[: longest - 1]}…'}'"


def _parsed(text: str, form: type[Part], what: str) -> Part:
    try:
        return form.model_validate_json(text)
    except ValidationError:
        said = f"HTTP 200, but not {what}: {quoted(text, _LONGEST_REFUSAL)}"
        raise WrongAnswer(wrong(said)) from None


REASONING_PARSER = "--dyn-reasoning-parser gpt_oss"
TOOL_PARSER = "--dyn-tool-call-parser harmony"
STOPPED = frozenset({"stop", "length", "tool_calls"})
"""Reasons for which an answer may end."""

# The special tokens of the harmony format (openai/harmony, docs/format.md); or the same where they were left
# out in the decoding: analysisWe need…assistantfinalReady.
_CHANNELS = re.compile(
    r"<\|(?:start|end|message|channel|constrain|return|call)\|>"
    r"|\Aanalysis(?=\S.*assistant(?:final|commentary))",
    re.DOTALL,
)
# With a letter or a digit in it: a line of dashes is no answer that went astray.
_REPEATED = re.compile(r"(?=.{0,79}\w)(.{1,80}?)\1{9}\s*\Z", re.DOTALL)


def spoiled(choice: Choice) -> CheckResult | None:
    """Return what is wrong with any answer that should be a text; None where nothing is."""
    message, reason = choice.message, choice.finish_reason
    content, thought = message.content or "", message.reasoning_content or ""
    if found := unparsed(content) or unparsed(thought):
        return found
    if reason not in STOPPED:
        return wrong(f"HTTP 200, but finish_reason {reason}: {quoted(content)}", "the worker's log says why")
    if content.strip():
        return None
    if reason == "length" and thought:
        return wrong("empty content: the reasoning used every token that the request allowed")
    return wrong(
        f"empty content (finish_reason {reason})", "the worker's log; GET /health lists what is registered"
    )


def unparsed(text: str) -> CheckResult | None:
    """Return what is wrong with a text that holds marks of channels; None where it holds none."""
    mark = _CHANNELS.search(text)
    if mark is None:
        return None
    found = f"{mark[0]} in the text: nobody parsed the channels: {quoted(text)}"
    return wrong(found, f"{REASONING_PARSER} on every worker")


def repeated_end(text: str) -> str:
    """Return what a text ends in ten times over; empty where it does not.

    NVIDIA's gpt-oss guide: with high effort "the model may produce repeated tokens and fail to stop"; top_p 1
    is its mend.
    """
    found = _REPEATED.search(text)
    return found[1].strip() if found else ""
