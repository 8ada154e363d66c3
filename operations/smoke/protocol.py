"""The parts of a frontend's answers that the checks read, and what is wrong with an answer without them."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar, cast

from pydantic import AliasChoices, AliasPath, BaseModel, Field, ValidationError

from operations.smoke.client import Answer
from operations.smoke.results import Judgement, WrongAnswer, wrong


class Instance(BaseModel, frozen=True):
    """A process that has registered itself."""

    namespace: str
    component: str
    endpoint: str


class Health(BaseModel, frozen=True):
    """GET /health."""

    endpoints: tuple[str, ...]
    """As in dyn://dynamo.prefill.generate: namespace, component, endpoint."""
    instances: tuple[Instance, ...]


class ListedModel(BaseModel, frozen=True):
    """A model that the frontend serves."""

    id: str


class ModelList(BaseModel, frozen=True):
    """GET /v1/models."""

    data: tuple[ListedModel, ...]


class ToolCall(BaseModel, frozen=True):
    """One call of a function in an answer."""

    id: str
    name: Annotated[str, Field(validation_alias=AliasPath("function", "name"))]
    arguments: Annotated[str, Field(validation_alias=AliasPath("function", "arguments"))]
    """A JSON object as text."""


class Message(BaseModel, frozen=True):
    """What the model says, or a piece of it."""

    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None


class Choice(BaseModel, frozen=True):
    """One of several answers; the checks ask for one."""

    message: Annotated[Message, Field(validation_alias=AliasChoices("message", "delta"))]
    finish_reason: str | None = None


class Completion(BaseModel, frozen=True):
    """POST /v1/chat/completions."""

    choices: Annotated[tuple[Choice, ...], Field(min_length=1)]


class Chunk(BaseModel, frozen=True):
    """One event of a stream."""

    choices: tuple[Choice, ...] = ()
    prompt_tokens: Annotated[int | None, Field(validation_alias=AliasPath("usage", "prompt_tokens"))] = None
    """None where the frontend did not count them."""

    @property
    def text(self) -> str:
        """What the model says in it, reasoning too."""
        said = (each.message for each in self.choices)
        return "".join((each.reasoning_content or "") + (each.content or "") for each in said)


class OutputItem(BaseModel, frozen=True):
    """A message of an answer of /v1/responses, the reasoning before it, or a part of either."""

    type: str
    text: str | None = None
    content: "tuple[OutputItem, ...] | None" = None


class ResponsesAnswer(BaseModel, frozen=True):
    """POST /v1/responses."""

    output: tuple[OutputItem, ...]


Part = TypeVar("Part", bound=BaseModel)
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


def read_stream(answer: Answer) -> Sequence[tuple[float, Chunk]]:
    """Return the events with their times; raises WrongAnswer, also for an error among them."""
    if answer.status != _OK:
        raise WrongAnswer(refusal(answer.status, answer.text))
    if not answer.events:
        # An error inside would be said here too.
        read_text(answer.text, Completion, "a stream")
        raise WrongAnswer(wrong("a whole answer, and no stream of events"))
    return [
        (seconds, read_text(data, Chunk, "a piece of a chat completion"))
        for seconds, data in answer.events
        if data != "[DONE]"
    ]


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


def refusal(status: int, text: str) -> Judgement:
    """Return the judgement of an answer with another status than 200."""
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


def _document(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _message(error: Mapping[str, Any]) -> str:
    """Return what an error says; without a message, all of it."""
    message = error.get("message") or error.get("detail")
    return quoted(str(message or dict(error)))
