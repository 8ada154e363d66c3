"""An answer that came with HTTP 200 and is none: empty, an error, not what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.operations.smoke import answers
from tests.operations.smoke.answers import AFTER_CHAT, CHAT, RESPONSES
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.operations.smoke.loopback import Loopback

    Checks = Callable[..., dict[str, dict[str, Any]]]


def _instead(condition: Callable[[dict[str, Any]], bool], reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Answers well but where the condition holds."""
    return lambda body: reply if condition(body) else answers.answer_chat(body)


def _streams(body: dict[str, Any]) -> bool:
    return body["stream"]


def _effort(effort: str) -> Callable[[dict[str, Any]], bool]:
    def is_asked(body: dict[str, Any]) -> bool:
        is_question = "larger" in body["messages"][0]["content"]
        return is_question and body["chat_template_args"]["reasoning_effort"] == effort

    return is_asked


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_empty_content_is_no_answer(content: str | None, checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = Reply(answers.chat(content, reasoning=None))
    found = checks()
    assert found["chat"]["found"] == "empty content (finish_reason stop)"
    assert {found[name]["verdict"] for name in AFTER_CHAT} == {"not-run"}


def test_content_that_the_reasoning_left_no_tokens_for_is_said_to_be_that(
    checks: Checks, server: Loopback
) -> None:
    server.replies[CHAT] = Reply(answers.chat(None, reason="length"))
    assert checks()["chat"]["found"] == (
        "empty content: the reasoning used every token that the request allowed"
    )


def test_a_cancelled_answer_is_wrong_though_its_status_is_200(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = Reply(answers.chat("", reason="cancelled"))
    assert checks()["chat"]["found"] == "HTTP 200, but finish_reason cancelled: no content"


@pytest.mark.parametrize(
    "error",
    [{"message": "KV transfer failed", "code": 500}, "KV transfer failed", {"detail": "KV transfer failed"}],
)
def test_an_error_inside_of_http_200_is_said(error: object, checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = Reply({"error": error})
    assert checks()["chat"]["found"] == "HTTP 200 with an error inside: 'KV transfer failed'"


def test_an_error_inside_of_a_stream_is_said(checks: Checks, server: Loopback) -> None:
    # What ai-dynamo 1.2.1 sends when a decode worker is killed in the middle of an answer.
    message = "Stream ended before generation completed"
    error = {"error": {"message": message, "type": "internal_server_error", "code": 500}}
    events = (answers.chunk(content="The "), answers.chunk(content="service"), error, "[DONE]")
    server.replies[CHAT] = _instead(_streams, Reply(events=events))
    assert checks()["stream"]["found"] == f"HTTP 200 with an error inside: '{message}'"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ((answers.chunk(), answers.chunk("stop"), "[DONE]"), "2 events and no text in any of them"),
        (answers.stream("a", "b")[:-1], "the stream ends without data: [DONE]"),
        (
            answers.stream("a", "b", reason=None),
            "the stream ends without a finish_reason after 2 pieces of text",
        ),
        (
            answers.stream("all of it"),
            "the whole answer in one event: something collects the stream on its way",
        ),
        (("no json",), "HTTP 200, but no JSON: 'no json'"),
    ],
)
def test_a_stream_that_is_none_is_wrong(
    events: tuple[Any, ...], said: str, checks: Checks, server: Loopback
) -> None:
    server.replies[CHAT] = _instead(_streams, Reply(events=events))
    assert checks()["stream"]["found"] == said


def test_a_whole_answer_where_a_stream_was_asked_for_is_wrong(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = _instead(_streams, Reply(answers.chat()))
    assert checks()["stream"]["found"] == "a whole answer, and no stream of events"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (answers.responses(""), "no text in it; the output holds message"),
        (answers.responses(output=[{"type": "reasoning"}]), "no text in it; the output holds reasoning"),
        (answers.responses(output=[]), "no text in it; the output holds nothing"),
        (answers.responses(status="failed"), f"status failed: '{answers.SENTENCE}'"),
        (answers.responses(error={"message": "worker lost"}), "HTTP 200 with an error inside: 'worker lost'"),
        (
            {"output": []},
            "HTTP 200, but not a response: status: field required; it begins '{\"output\": []}'",
        ),
        (answers.responses("<|channel|>final"), "<|channel|> in the text: nobody parsed the channels"),
    ],
)
def test_a_response_without_its_text_is_wrong(
    body: dict[str, Any], said: str, checks: Checks, server: Loopback
) -> None:
    server.replies[RESPONSES] = Reply(body)
    found = checks()
    assert found["responses"]["verdict"] == "wrong"
    assert found["responses"]["found"].startswith(said)
    assert found["chat"]["verdict"] == "good"


@pytest.mark.parametrize("effort", ["low", "high"])
def test_an_effort_without_reasoning_names_the_parser(effort: str, checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = _instead(_effort(effort), Reply(answers.chat("9.9", reasoning=None)))
    found = checks()[f"reasoning-{effort}"]
    assert (found["verdict"], found["found"]) == ("wrong", "no reasoning_content; it says '9.9'")
    assert "--dyn-reasoning-parser gpt_oss" in found["fix"]


def test_high_effort_may_use_every_token_and_low_effort_may_not(checks: Checks, server: Loopback) -> None:
    cut = Reply(answers.chat(None, reasoning="Nine point nine is larger", reason="length"))
    server.replies[CHAT] = lambda body: (
        cut if _effort("low")(body) or _effort("high")(body) else answers.answer_chat(body)
    )
    found = checks()
    assert found["reasoning-high"]["verdict"] == "good"
    assert "no token left for an answer" in found["reasoning-high"]["found"]
    assert "used every token" in found["reasoning-low"]["found"]


def test_an_answer_that_repeats_itself_is_wrong(checks: Checks, server: Loopback) -> None:
    reply = Reply(answers.chat("The number " + "is larger " * 20, reason="length"))
    server.replies[CHAT] = _instead(_effort("high"), reply)
    assert checks()["reasoning-high"]["found"] == (
        "ends in 'is larger' ten times over: it does not stop by itself"
    )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            Reply({"message": "Model temporarily unavailable", "code": 503}, 503),
            "HTTP 503: 'Model temporarily",
        ),
        (Reply("", 404), "HTTP 404: with nothing in it"),
        (Reply("<html>Bad gateway</html>", 502), "HTTP 502: '<html>Bad gateway</html>'"),
        (Reply({"error": {"message": "no"}}, 500), "HTTP 500: 'no'"),
        (Reply("<html>", 200), "HTTP 200, but no JSON: '<html>'"),
        (
            Reply({"choices": []}),
            "HTTP 200, but not a chat completion: choices: tuple should have at least 1",
        ),
        (Reply({"choices": [{}]}), "HTTP 200, but not a chat completion: choices.0.message: field required"),
        (Reply([1]), "HTTP 200, but not a chat completion: all of it: "),
        (Reply("", 307, {"Location": "http://elsewhere.example"}), "HTTP 307: with nothing in it"),
    ],
)
def test_what_is_no_chat_completion_is_said_with_its_beginning(
    reply: Reply, said: str, checks: Checks, server: Loopback
) -> None:
    server.replies[CHAT] = reply
    found = checks()["chat"]
    assert found["verdict"] == "wrong"
    assert found["found"].startswith(said)
