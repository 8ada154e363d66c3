"""The parts of a frontend's answers that the checks read; more may be in them.

Seen from `dynamo.frontend` of PyPI package ai-dynamo 1.2.1 with `dynamo.mocker` behind it, but for reasoning
and calls of tools, which are of NVIDIA's gpt-oss guide.
"""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field


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
    instances: tuple[Instance, ...] = ()


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
    """What the model says; in a stream, a piece of it."""

    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None


class Choice(_Part):
    """One of several answers; the checks ask for one."""

    message: Message
    finish_reason: str | None = None


class Completion(_Part):
    """POST /v1/chat/completions."""

    choices: Annotated[tuple[Choice, ...], Field(min_length=1)]


class Piece(_Part):
    """Text of one event; calls of tools come in parts here, and no check streams any."""

    content: str | None = None
    reasoning_content: str | None = None


class StreamedChoice(_Part):
    """One choice of an event."""

    delta: Piece = Piece()
    finish_reason: str | None = None


class Usage(_Part):
    """Tokens that were counted."""

    prompt_tokens: int


class Chunk(_Part):
    """One event of a stream."""

    choices: tuple[StreamedChoice, ...] = ()
    usage: Usage | None = None


class OutputText(_Part):
    """A part of an item of an answer of /v1/responses."""

    type: str
    text: str | None = None


class OutputItem(_Part):
    """A message, or the reasoning before it."""

    type: str
    content: tuple[OutputText, ...] | None = None


class ResponsesAnswer(_Part):
    """POST /v1/responses."""

    status: str
    output: tuple[OutputItem, ...]


Part = TypeVar("Part", bound=_Part)
"""Any of these."""
