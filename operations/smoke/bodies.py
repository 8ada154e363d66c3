"""The requests, as NVIDIA's gpt-oss guides print them, and shorter where an answer proves the same.

docs.nvidia.com/dynamo: backends/tensorrtllm gpt-oss (tools, reasoning effort, top_p 1), recipes/gpt-oss-120b.
"""

from collections.abc import Mapping, Sequence
from typing import Any

TOOL = "get_system_health"
_TOOL_SCHEMA = {
    "type": "function",
    "function": {
        "name": TOOL,
        "description": "Returns the current health status of the LLM runtime. Use it before critical "
        "operations to verify that the service is live.",
        "parameters": {"type": "object", "properties": {}},
    },
}
_TOOL_RESULT = '{"status": "ok", "uptime_seconds": 372045}'
_READINESS = "Write a one-sentence readiness check."
_SYSTEMS = "Hey, quick check: is everything up and running?"
# It cannot be answered without some thought, so that no answer lacks reasoning by rights.
_QUESTION = "Which is larger, 9.11 or 9.9? Say why in one sentence."
_TOKENS = 300
_STREAMED_TOKENS = 64
_FIRST_TOKENS = 16
"""gpt-oss begins with tokens that the parsers take away, <|channel|>analysis<|message|> (OpenAI's harmony
format); only what follows is text."""
_TEMPLATE = "chat_template_args"
_FILLER = ("one", "two", "three", "four", "five", "six", "seven", "eight")

Body = Mapping[str, Any]


def chat(model: str) -> Body:
    """Return a request for one sentence."""
    return _chat(model, [_user(_READINESS)], _TOKENS) | _effort("low")


def streamed_chat(model: str) -> Body:
    """Return the same request for a stream."""
    return _chat(model, [_user(_READINESS)], _STREAMED_TOKENS) | _effort("low") | {"stream": True}


def long_prompt(model: str, words: int) -> Body:
    """Return a request whose prompt has so many words of a token each, and whose answer hardly counts."""
    text = " ".join(_FILLER[index % len(_FILLER)] for index in range(words))
    stream = {"stream": True, "stream_options": {"include_usage": True}}
    return _chat(model, [_user(text)], _FIRST_TOKENS) | stream


def responses(model: str) -> Body:
    """Return a request to /v1/responses."""
    return {
        "model": model,
        "input": _READINESS,
        "reasoning": {"effort": "low"},
        "max_output_tokens": _TOKENS,
        "stream": False,
    }


def tool_call(model: str) -> Body:
    """Return a request whose answer calls the tool."""
    return _chat(model, [_user(_SYSTEMS)], _TOKENS) | _effort("low") | {"tools": [_TOOL_SCHEMA]}


def tool_result(model: str, call: Body) -> Body:
    """Return the request after the call, with the tool's result."""
    messages = [
        _user(_SYSTEMS),
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": _TOOL_RESULT},
    ]
    return _chat(model, messages, _TOKENS) | _effort("low") | {"tools": [_TOOL_SCHEMA]}


def reasoning(model: str, effort: str) -> Body:
    """Return a question with an effort of reasoning; high has top_p 1, without which it may not end."""
    body = _chat(model, [_user(_QUESTION)], _TOKENS) | _effort(effort)
    return body | {"top_p": 1} if effort == "high" else body


def for_engine_server(body: Body) -> Body:
    """Return a chat request in the fields that an engine's own server takes.

    TensorRT-LLM's refuses every field that it does not have (extra="forbid" in
    tensorrt_llm/serve/openai_protocol.py, NVIDIA/TensorRT-LLM 54cf7be and 0076e93): OpenAI's name here.
    """
    return {key: value for key, value in body.items() if key != _TEMPLATE} | body.get(_TEMPLATE, {})


def _chat(model: str, messages: Sequence[Body], tokens: int) -> dict[str, Any]:
    return {"model": model, "messages": list(messages), "max_tokens": tokens, "stream": False}


def _user(text: str) -> Body:
    return {"role": "user", "content": text}


def _effort(effort: str) -> dict[str, Any]:
    return {_TEMPLATE: {"reasoning_effort": effort}}
