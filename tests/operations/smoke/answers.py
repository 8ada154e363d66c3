"""Answers as a frontend of ai-dynamo 1.2.1 gives them, with a real engine behind it.

Their form was recorded from `dynamo.frontend` and two `dynamo.mocker`; reasoning and the call of the tool are
NVIDIA's gpt-oss guide's.
"""

from typing import Any

from tests.cli.command import Answer, read_document
from tests.operations.smoke.loopback import Loopback, Reply

MODEL = "openai/gpt-oss-120b"
CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
NAMESPACE = "gpt-oss-gpt-oss-disagg-50a07eaa"
AFTER_CHAT = {"stream", "first-token", "responses", "tool-call", "reasoning-low", "reasoning-high"}
"""The checks that need an answered chat."""
SENTENCE = "The service is ready to accept requests."
CALL = {"id": "call-1", "type": "function", "function": {"name": "get_system_health", "arguments": "{}"}}


def instance(component: str, namespace: str = NAMESPACE) -> dict[str, Any]:
    return {
        "component": component,
        "endpoint": "generate",
        "namespace": namespace,
        "instance_id": 17759425415745665706,
        "transport": {"tcp": "127.77.9.3:35113/f676275278907aaa/generate"},
        "device_type": "cuda",
    }


def health(*instances: dict[str, Any]) -> dict[str, Any]:
    endpoints = [f"dyn://{each['namespace']}.{each['component']}.generate" for each in instances]
    return {"status": "healthy", "endpoints": endpoints, "instances": list(instances)}


def models(*names: str) -> dict[str, Any]:
    data = [
        {"id": name, "object": "model", "created": 1795422092, "owned_by": "nvidia", "context_window": 0}
        for name in names
    ]
    return {"object": "list", "data": data}


def chat(
    content: str | None = SENTENCE,
    *,
    reasoning: str | None = "We need one sentence.",
    reason: str = "stop",
    **message: Any,
) -> dict[str, Any]:
    said = {"content": content, "role": "assistant", "reasoning_content": reasoning} | message
    return {
        "id": "chatcmpl-766f0eb3-b408-42c4-a67d-46dad97860dd",
        "choices": [{"index": 0, "message": said, "finish_reason": reason, "logprobs": None}],
        "created": 1795422115,
        "model": MODEL,
        "object": "chat.completion",
        "usage": {"prompt_tokens": 9, "completion_tokens": 16, "total_tokens": 25},
    }


def call() -> dict[str, Any]:
    return chat(None, reasoning="We need to check. Use function.", reason="tool_calls", tool_calls=[CALL])


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant"} | delta, "finish_reason": reason, "logprobs": None}
    return {"choices": [choice], "model": MODEL, "object": "chat.completion.chunk", "usage": None}


def usage(tokens: int) -> dict[str, Any]:
    return {
        "choices": [],
        "usage": {"prompt_tokens": tokens, "completion_tokens": 2, "total_tokens": tokens + 2},
    }


def stream(*texts: str, reason: str | None = "stop", tokens: int | None = None) -> tuple[Any, ...]:
    counted = () if tokens is None else (usage(tokens),)
    return (*(chunk(content=text) for text in texts), chunk(reason), *counted, "[DONE]")


def responses(text: str = SENTENCE, **other: Any) -> dict[str, Any]:
    message = {
        "type": "message",
        "content": [{"type": "output_text", "annotations": [], "logprobs": [], "text": text}],
        "id": "msg_bbf92cf316a3439bbab2395994f3bbb2",
        "role": "assistant",
        "status": "completed",
    }
    return {
        "object": "response",
        "model": MODEL,
        "output": [message],
        "status": "completed",
        "error": None,
    } | other


def answer_chat(body: dict[str, Any]) -> Reply:
    """What a healthy deployment says to each request for a chat."""
    if body["stream"]:
        counted = 7_742 if "stream_options" in body else None
        return Reply(events=stream("The ", "service ", "is ready.", tokens=counted))
    asked_before = any(message["role"] == "tool" for message in body["messages"])
    return Reply(call() if "tools" in body and not asked_before else chat())


def answer_well(server: Loopback, *components: str) -> None:
    """Make it a healthy deployment with these components."""
    server.replies |= {
        "/health": Reply(health(*map(instance, components or ("prefill", "tensorrt_llm")))),
        "/v1/models": Reply(models(MODEL)),
        CHAT: answer_chat,
        RESPONSES: Reply(responses()),
    }


def answer_at_random(body: dict[str, Any]) -> Reply:
    """What a mock engine says: tokens at random up to the limit, no reasoning, no call."""
    text = " w1237 w1686 w1175 w1973"
    if body["stream"]:
        return Reply(events=stream(" w1237", " w1686", reason="length", tokens=7_680))
    return Reply(chat(text, reasoning=None, reason="length"))


def checks_of(answer: Answer) -> dict[str, dict[str, Any]]:
    """The checks of what `smoke --json` printed, by their names."""
    report = read_document("smoke", answer.out)
    assert answer.code == int(report["failed"])
    return {check["name"]: check for check in report["checks"]}
