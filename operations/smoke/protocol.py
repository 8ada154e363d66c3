"""The parts of a frontend's answers that the checks read, and what is wrong with a text that has them not."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, cast

from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, ValidationError

from operations.smoke.client import Answer
from operations.smoke.finding import Finding, WrongAnswer, wrong


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Instance(_Part):
    """A process that has registered itself."""

    namespace: str
    component: str
    endpoint: str


class Health(_Part):
    """GET /health."""

    endpoints: tuple[str, ...]
    """As in dyn://dynamo.prefill.generate: namespace, component, endpoint."""
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
    arguments: str
    """A JSON object as text."""


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
    """One event of a stream."""

    choices: tuple[Choice, ...] = ()
    prompt_tokens: Annotated[int | None, Field(validation_alias=AliasPath("usage", "prompt_tokens"))] = None
    """None where the frontend did not count them."""


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
_KEY = "a gateway in front of it wants a key: --api-key-from VARIABLE"
_FIXES = {
    401: _KEY,
    403: _KEY,
    404: "a frontend that misses a worker answers so too: GET /health lists which have registered",
    500: "the logs of frontend and workers say why",
    503: "a worker is missing, or all of them are busy: GET /health lists which have registered",
}
_FINAL = frozenset({401, 403})


def read(answer: Answer, form: type[Part], what: str) -> Part:
    """Return the answer's parts; raises WrongAnswer, with its reason.

    Args:
        answer: what the frontend sent.
        form: what it should be.
        what: the same in words, as in "a chat completion".

    """
    if answer.status != _OK:
        raise WrongAnswer(refusal(answer.status, answer.text))
    return read_text(answer.text, form, what)


def read_text(text: str, form: type[Part], what: str) -> Part:
    """Return the parts of a text that came with HTTP 200; raises WrongAnswer."""
    document = _document(text)
    error = error_in(document)
    if error:
        raise WrongAnswer(wrong(f"HTTP 200 with an error inside: {error}"))
    if document is None:
        raise WrongAnswer(wrong(f"HTTP 200, but no JSON: {quoted(text)}"))
    try:
        return form.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        said = f"HTTP 200, but not {what}: {place}: {first['msg'].lower()}"
        raise WrongAnswer(wrong(f"{said}; it begins {quoted(text)}")) from None


def refusal(status: int, text: str) -> Finding:
    """Return the finding about an answer with another status than 200."""
    document = _document(text)
    said = error_in(document) or (_message(document) if isinstance(document, Mapping) else "")
    words = said or quoted(text) if text.strip() else "with nothing in it"
    return wrong(f"HTTP {status}: {words}", _FIXES.get(status, ""), is_final=status in _FINAL)


def error_in(document: object) -> str:
    """Return the message of an error that an answer carries, whatever its status; empty without one."""
    if not isinstance(document, Mapping):
        return ""
    error = cast("Mapping[str, Any]", document).get("error")
    if not error:
        return ""
    return _message(error) if isinstance(error, Mapping) else quoted(str(error))


def quoted(text: str) -> str:
    """Return the beginning of a text in quotes, on one line."""
    line = " ".join(text.split())
    return f"'{line if len(line) <= _LONGEST_QUOTE else f'{line[: _LONGEST_QUOTE - 1]}…'}'"


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


def _document(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _message(error: Mapping[str, Any]) -> str:
    """Return what an error says; without a message, all of it."""
    message = error.get("message") or error.get("detail")
    return quoted(str(message or dict(error)))
