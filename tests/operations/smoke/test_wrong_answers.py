"""A deployment that answers one thing wrongly, and what a person is told of it: also of what is no answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.operations.smoke import answers
from tests.operations.smoke.answers import AFTER_CHAT, CHAT, MODEL, RESPONSES
from tests.operations.smoke.conftest import Checks
from tests.operations.smoke.loopback import Loopback, Reply


def _streams(body: dict[str, Any]) -> bool:
    return body["stream"]


def _has_tools(body: dict[str, Any]) -> bool:
    return "tools" in body and len(body["messages"]) == 1


def _has_tool_result(body: dict[str, Any]) -> bool:
    return "tools" in body and len(body["messages"]) > 1


def _effort(effort: str) -> Callable[[dict[str, Any]], bool]:
    def is_asked(body: dict[str, Any]) -> bool:
        is_question = "larger" in body["messages"][0]["content"]
        return is_question and body["chat_template_args"]["reasoning_effort"] == effort

    return is_asked


@dataclass(frozen=True)
class Wrong:
    """An answer that comes instead of a good one, and what is said of it."""

    check: str
    reply: Reply
    said: str
    """How the finding begins."""
    when: Callable[[dict[str, Any]], bool] = bool
    """Of which questions; the others are answered well."""
    fix: str = ""
    path: str = CHAT


def _tool(content: str | None, said: str, fix: str = "", **answer: Any) -> Wrong:
    return Wrong("tool-call", Reply(answers.chat(content, **answer)), said, _has_tools, fix)


def _after_tool(answer: dict[str, Any], said: str) -> Wrong:
    return Wrong("tool-call", Reply(answer), said, _has_tool_result)


def _called(said: str, **function: str) -> Wrong:
    return _tool(None, said, reason="tool_calls", tool_calls=[answers.CALL | {"function": function}])


def _chat(reply: Reply | Any, said: str, fix: str = "") -> Wrong:
    return Wrong("chat", reply if isinstance(reply, Reply) else Reply(reply), said, fix=fix)


def _stream(said: str, *events: Any) -> Wrong:
    return Wrong("stream", Reply(events=events), said, _streams)


def _response(body: dict[str, Any], said: str) -> Wrong:
    return Wrong("responses", Reply(body), said, path=RESPONSES)


REASONING, TOOLS = "--dyn-reasoning-parser gpt_oss", "--dyn-tool-call-parser harmony"
UNPARSED = "no tool_calls, and the content holds the call unparsed"
MARKS = "<|channel|> in the text"
RAW = "<|channel|>analysis<|message|>We need<|end|><|start|>assistant<|channel|>final<|message|>Ready."
NO_ARGUMENTS = "the call's arguments are no JSON object: "
# What ai-dynamo 1.2.1 sends when a decode worker is killed in the middle of an answer.
ENDED = {"message": "Stream ended before generation completed", "type": "internal_server_error", "code": 500}
WRONG = (
    _chat(answers.chat(RAW, reasoning=None), f"{MARKS}: nobody parsed the channels", REASONING),
    _chat(
        answers.chat("analysisWe need it.assistantfinalReady.", reasoning=None),
        "analysis…assistantfinal in the text",
        REASONING,
    ),
    *(
        _chat(answers.chat(content, reasoning=None), "empty content (finish_reason stop)")
        for content in (None, " \n")
    ),
    _chat(
        answers.chat(None, reason="length"),
        "empty content: the reasoning used every token that the request allowed",
    ),
    _chat(answers.chat("", reason="cancelled"), "HTTP 200, but finish_reason cancelled: no content"),
    *(
        _chat({"error": error}, "HTTP 200 with an error inside: 'KV transfer failed'")
        for error in (
            {"message": "KV transfer failed", "code": 500},
            "KV transfer failed",
        )
    ),
    _chat(
        Reply({"message": "Model temporarily unavailable", "code": 503}, 503), "HTTP 503: 'Model temporarily"
    ),
    _chat(Reply("", 404), "HTTP 404: with nothing in it"),
    _chat(Reply("<html>Bad gateway</html>", 502), "HTTP 502: '<html>Bad gateway</html>'"),
    _chat(Reply({"error": {"message": "no"}}, 500), "HTTP 500: 'no'"),
    _chat({"choices": []}, "HTTP 200, but not a chat completion: choices: tuple should have at least 1"),
    _chat({"choices": [{}]}, "HTTP 200, but not a chat completion: choices.0.message: field required"),
    _chat([1], "HTTP 200, but not a chat completion: all of it: "),
    _chat(Reply("", 307, {"Location": "http://elsewhere.example"}), "HTTP 307: with nothing in it"),
    _stream(MARKS, *answers.stream("<|chan", "nel|>analysis", " Hm")),
    _stream(
        f"HTTP 200 with an error inside: '{ENDED['message']}'",
        answers.chunk(content="The "),
        answers.chunk(content="service"),
        {"error": ENDED},
        "[DONE]",
    ),
    _stream("2 events and no text in any of them", answers.chunk(), answers.chunk("stop"), "[DONE]"),
    _stream(
        "the stream ends without a finish_reason after 2 pieces of text",
        *answers.stream("a", "b", reason=None),
    ),
    _stream(
        "the whole answer in one event: something collects the stream on its way",
        *answers.stream("all of it"),
    ),
    _stream("HTTP 200, but no JSON: 'no json'", "no json"),
    Wrong("stream", Reply(answers.chat()), "a whole answer, and no stream of events", _streams),
    _tool("to=functions.get_system_health json{}", UNPARSED, TOOLS, tool_calls=[]),
    _tool(
        "Everything is fine.",
        "no tool_calls (finish_reason stop)",
        "with Dynamo 1.2 or older gpt-oss-120b puts about half of its tool calls on",
    ),
    _tool(None, "a call with finish_reason stop, where clients look for", tool_calls=[answers.CALL]),
    _called("it calls 'rm', and only get_system_health was offered", name="rm", arguments="{}"),
    _called(f"{NO_ARGUMENTS}'{{'", name="get_system_health", arguments="{"),
    _after_tool(answers.chat(""), "after the tool's result: empty content (finish_reason stop)"),
    _after_tool(answers.call(), "it calls the tool again instead of using the result"),
    _response(answers.responses(output=[{"type": "reasoning"}]), "no text in it; the output holds reasoning"),
    _response(
        answers.responses(error={"message": "worker lost"}), "HTTP 200 with an error inside: 'worker lost'"
    ),
    _response({"out": []}, "HTTP 200, but not a response: output: field required; it begins '{\"out\": []}'"),
    _response(answers.responses("<|channel|>final"), MARKS),
    Wrong(
        "reasoning-low",
        Reply(answers.chat("9.9", reasoning=None)),
        "no reasoning_content; it says '9.9'",
        _effort("low"),
        REASONING,
    ),
    Wrong(
        "reasoning-high",
        Reply(answers.chat("The number " + "is larger " * 20, reason="length")),
        "ends in 'is larger' ten times over: it does not stop by itself",
        _effort("high"),
    ),
)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong.check}: {wrong.said}")
def test_a_wrong_answer_is_named_with_what_it_is_and_the_rest_is_judged_all_the_same(
    wrong: Wrong, checks: Checks, server: Loopback
) -> None:
    good = server.replies[wrong.path]
    server.replies[wrong.path] = lambda body: (
        wrong.reply if wrong.when(body) else good(body) if callable(good) else good
    )
    found = checks()
    assert (found[wrong.check]["verdict"], found["model"]["verdict"]) == ("wrong", "good")
    assert found[wrong.check]["found"].startswith(wrong.said)
    assert wrong.fix in found[wrong.check].get("fix", "")
    if wrong.check == "chat":
        assert {found[name]["verdict"] for name in AFTER_CHAT} == {"not-run"}


def test_high_effort_may_use_every_token_and_low_effort_may_not(checks: Checks, server: Loopback) -> None:
    cut = Reply(answers.chat(None, reasoning="Nine point nine is larger", reason="length"))
    server.replies[CHAT] = lambda body: (
        cut if _effort("low")(body) or _effort("high")(body) else answers.answer_chat(body)
    )
    found = checks()
    assert found["reasoning-high"]["verdict"] == "good"
    assert "no token left for an answer" in found["reasoning-high"]["found"]
    assert "used every token" in found["reasoning-low"]["found"]


def test_at_an_address_a_mock_engine_is_excused_from_nothing(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = answers.answer_at_random
    wrong = {name for name, check in checks().items() if check["verdict"] == "wrong"}
    assert wrong == {"tool-call", "reasoning-low", "reasoning-high"}


def test_the_requests_are_those_of_the_guides(checks: Checks, server: Loopback) -> None:
    checks()
    bodies = server.bodies(CHAT)
    assert {body["model"] for body in bodies} == {MODEL}
    [first] = filter(_has_tools, bodies)
    assert first["tools"][0]["function"]["name"] == "get_system_health"
    [second] = filter(_has_tool_result, bodies)
    assert second["messages"][1]["tool_calls"] == [answers.CALL]
    assert second["messages"][2]["tool_call_id"] == "call-1"
    [high] = filter(_effort("high"), bodies)
    assert high["top_p"] == 1
    assert any(map(_effort("low"), bodies))
    [response] = server.bodies(RESPONSES)
    assert (response["stream"], response["model"]) == (False, MODEL)
