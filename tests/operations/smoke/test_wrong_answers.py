"""A deployment that answers one thing wrongly, and what a person is told of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import squeezed
from tests.operations.smoke import answers
from tests.operations.smoke.answers import CHAT, MODEL, NAMESPACE, RESPONSES
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.command import Answer
    from tests.operations.smoke.loopback import Loopback

    Checks = Callable[..., dict[str, dict[str, Any]]]

AFTER_CHAT = {"stream", "first-token", "responses", "tool-call", "reasoning-low", "reasoning-high"}


def _instead(condition: Callable[[dict[str, Any]], bool], reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Answers well but where the condition holds."""
    return lambda body: reply if condition(body) else answers.answer_chat(body)


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


def test_a_deployment_that_answers_all_of_it_passes(smoke: Callable[..., Answer], server: Loopback) -> None:
    answer = smoke()
    assert (answer.code, answer.err) == (0, "")
    assert f"good model {MODEL}" in squeezed(answer.out)
    assert f"{server.url}: answers: 9 good, 1 not run of 10 checks" in answer.out
    assert "fix" not in answer.out


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


def test_a_model_that_is_absent_is_named_with_those_that_are_listed(checks: Checks, server: Loopback) -> None:
    server.replies["/v1/models"] = Reply(answers.models("openai/gpt-oss-20b", "other"))
    found = checks()
    assert found["model"]["found"] == f"{MODEL} is not listed; listed: openai/gpt-oss-20b, other"
    assert "--served-model-name" in found["model"]["fix"]
    assert found["workers"]["verdict"] == "good"
    assert {found[name]["verdict"] for name in {"chat", *AFTER_CHAT}} == {"not-run"}
    assert found["chat"]["found"] == "needs model"
    assert server.bodies(CHAT) == []


@pytest.mark.parametrize(
    ("left", "absent"), [("prefill", "decode"), ("tensorrt_llm", "prefill"), ("backend", "prefill")]
)
def test_a_role_that_is_absent_is_named_with_what_is_registered(
    left: str, absent: str, checks: Checks, server: Loopback
) -> None:
    server.replies["/health"] = Reply(answers.health(answers.instance(left)))
    found = checks()
    registered = f"dyn://{NAMESPACE}.{left}.generate"
    assert found["workers"]["found"] == f"no {absent} worker is registered; registered: {registered}"
    assert found["chat"]["found"] == "needs workers"
    assert server.bodies(CHAT) == []


def test_roles_of_two_generations_are_said_never_to_meet(checks: Checks, server: Loopback) -> None:
    of_two = answers.instance("prefill", "ns-old"), answers.instance("tensorrt_llm", "ns-new")
    server.replies["/health"] = Reply(answers.health(*of_two))
    found = checks()["workers"]
    assert found["verdict"] == "wrong"
    assert "different generations, which never meet" in found["found"]


def test_without_any_worker_the_wait_says_so_and_ends(smoke: Callable[..., Answer], server: Loopback) -> None:
    server.replies |= {"/health": Reply(answers.health()), "/v1/models": Reply(answers.models())}
    answer = smoke(wait=0.05)
    assert answer.code == 1
    assert "waiting, at most 1 s more: no prefill worker and no decode worker is registered" in answer.err
    assert "no prefill worker and no decode worker is registered; registered: none" in squeezed(answer.out)
    assert f"{MODEL} is not listed; listed: none" in squeezed(answer.out)


def test_a_worker_that_registers_late_is_waited_for(checks: Checks, server: Loopback) -> None:
    looks = iter([answers.health(), answers.health(answers.instance("prefill"))])
    whole = answers.health(answers.instance("prefill"), answers.instance("backend"))
    server.replies["/health"] = lambda _: Reply(next(looks, whole))
    found = checks(wait=20)["workers"]
    assert found["verdict"] == "good"
    assert found["seconds"] < 10
    assert [asked.path for asked in server.asked[:6]].count("/health") == 3


def test_channel_marks_in_the_content_name_the_reasoning_parser(checks: Checks, server: Loopback) -> None:
    raw = "<|channel|>analysis<|message|>We need<|end|><|start|>assistant<|channel|>final<|message|>Ready."
    server.replies[CHAT] = Reply(answers.chat(raw, reasoning=None))
    found = checks()["chat"]
    assert found["found"].startswith("<|channel|> in the text: nobody parsed the channels")
    assert "--dyn-reasoning-parser gpt_oss" in found["fix"]


def test_channels_without_their_marks_name_the_reasoning_parser_too(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = Reply(answers.chat("analysisWe need it.assistantfinalReady.", reasoning=None))
    found = checks()["chat"]
    assert "analysis…assistantfinal in the text" in found["found"]
    assert "--dyn-reasoning-parser gpt_oss" in found["fix"]


def test_channel_marks_in_a_stream_are_found_across_its_pieces(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = _instead(_streams, Reply(events=answers.stream("<|chan", "nel|>analysis", " Hm")))
    found = checks()
    assert found["chat"]["verdict"] == "good"
    assert found["stream"]["found"].startswith("<|channel|> in the text")


@pytest.mark.parametrize(
    "content",
    [
        "to=functions.get_system_health json{}",
        '{"name": "get_system_health", "arguments": {}}',
        "get_system_health()",
        "<|channel|>commentary to=functions.get_system_health <|constrain|>json<|message|>{}<|call|>",
    ],
)
def test_a_call_that_stays_in_the_content_names_the_parser_of_tools(
    content: str, checks: Checks, server: Loopback
) -> None:
    unparsed = answers.chat(content, tool_calls=[])
    server.replies[CHAT] = _instead(_has_tools, Reply(unparsed))
    found = checks()["tool-call"]
    assert found["verdict"] == "wrong"
    assert "no tool_calls, and the content holds the call unparsed" in found["found"]
    assert "--dyn-tool-call-parser harmony" in found["fix"]


def test_an_answer_without_a_call_is_wrong(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = _instead(_has_tools, Reply(answers.chat("Everything is fine.")))
    found = checks()["tool-call"]
    assert (found["verdict"], server.bodies(CHAT)[-1].get("tools")) == ("wrong", None)
    assert "no tool_calls (finish_reason stop)" in found["found"]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ({"name": "rm", "arguments": "{}"}, "it calls 'rm', and only get_system_health was offered"),
        ({"name": "get_system_health", "arguments": "{"}, "the call's arguments are no JSON object: '{'"),
        ({"name": "get_system_health", "arguments": "[]"}, "the call's arguments are no JSON object: '[]'"),
    ],
)
def test_a_call_of_something_else_is_named(
    function: dict[str, str], said: str, checks: Checks, server: Loopback
) -> None:
    reply = answers.chat(None, reason="tool_calls", tool_calls=[answers.CALL | {"function": function}])
    server.replies[CHAT] = _instead(_has_tools, Reply(reply))
    assert checks()["tool-call"]["found"] == said


def test_a_call_with_another_finish_reason_is_wrong(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = _instead(_has_tools, Reply(answers.chat(None, tool_calls=[answers.CALL])))
    assert checks()["tool-call"]["found"] == (
        "a call with finish_reason stop, where clients look for tool_calls"
    )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (answers.chat(""), "after the tool's result: empty content (finish_reason stop)"),
        (answers.call(), "it calls the tool again instead of using the result"),
    ],
)
def test_an_answer_that_does_not_use_the_tools_result_is_wrong(
    reply: dict[str, Any], said: str, checks: Checks, server: Loopback
) -> None:
    server.replies[CHAT] = _instead(_has_tool_result, Reply(reply))
    found = checks()["tool-call"]
    assert (found["verdict"], found["found"]) == ("wrong", said)


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


def test_control_characters_of_an_answer_do_not_reach_the_terminal(
    smoke: Callable[..., Answer], server: Loopback
) -> None:
    server.replies[CHAT] = Reply(answers.chat("\x1b[2Jgone"))
    answer = smoke()
    assert "\x1b" not in answer.out
    assert "[2Jgone" in answer.out


def test_an_answer_that_does_not_come_ends_after_the_timeout(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = Reply(silent=True)
    found = checks(timeout=0.1)
    assert found["chat"]["found"] == "no answer within 0.1 s"
    assert found["chat"]["seconds"] == pytest.approx(0.1, abs=2)
    assert {found[name]["verdict"] for name in AFTER_CHAT} == {"not-run"}


def test_an_answer_that_drips_ends_after_the_timeout(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = Reply(drips=True)
    assert checks(timeout=0.2)["chat"]["found"] == "the answer had not ended after 0.2 s"


def test_a_listing_may_take_no_longer_than_an_answer(checks: Checks, server: Loopback) -> None:
    server.replies["/health"] = Reply(silent=True)
    assert checks(timeout=0.1)["frontend"]["found"] == "GET /health: no answer within 0.1 s"


def test_a_stream_that_stops_in_the_middle_ends_after_the_timeout(checks: Checks, server: Loopback) -> None:
    events = answers.stream("The ", "service ", "is ready.")
    server.replies[CHAT] = _instead(_streams, Reply(events=events, silent_after=2))
    assert checks(timeout=0.3)["stream"]["found"] == "no answer within 0.3 s"


def test_an_answer_that_is_cut_off_is_said_to_be_that(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = Reply(answers.chat(), announced=10_000)
    assert checks()["chat"]["found"] == "the connection was closed before the answer was whole"


def test_an_answer_without_end_is_not_read_to_its_end(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = Reply("x" * (9 << 20))
    assert checks()["chat"]["found"] == "the answer is larger than 8 MiB"


def test_a_frontend_that_is_not_there_is_said_to_refuse(
    smoke: Callable[..., Answer], server: Loopback
) -> None:
    server.close()
    answer = smoke(wait=0.01)
    assert answer.code == 1
    assert "GET /health: no answer: Connection refused" in answer.out
    assert "0 good" not in answer.out
    assert "1 wrong, 9 not run of 10 checks" in answer.out


def test_a_gateway_that_wants_a_key_ends_the_wait_at_once(checks: Checks, server: Loopback) -> None:
    refused = Reply({"error": {"message": "missing key"}}, 401)
    server.replies |= {"/health": refused, "/v1/models": refused}
    found = checks(wait=60)
    assert found["frontend"]["found"] == "GET /health: HTTP 401: 'missing key'"
    assert "--api-key-from" in found["frontend"]["fix"]
    assert len(server.asked) == 2


def test_the_key_of_a_variable_is_sent_and_never_shown(
    smoke: Callable[..., Answer], server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "sk-hidden")
    server.replies["/v1/models"] = Reply({"error": "refused"}, 403)
    answer = smoke("--api-key-from", "GATEWAY_KEY")
    assert {asked.headers["Authorization"] for asked in server.asked} == {"Bearer sk-hidden"}
    assert "sk-hidden" not in answer.out + answer.err


def test_credentials_that_nobody_named_are_not_sent(
    smoke: Callable[..., Answer], server: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password hidden\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden")
    assert smoke().code == 0
    assert [asked.headers for asked in server.asked if "Authorization" in asked.headers] == []


def test_behind_a_gateway_that_keeps_health_back_the_roles_are_unknown_and_the_rest_is_asked(
    checks: Checks, server: Loopback
) -> None:
    server.replies["/health"] = Reply("", 404)
    found = checks()
    assert found["workers"]["verdict"] == "unknown"
    assert "a gateway keeps it back" in found["workers"]["found"]
    assert found["tool-call"]["verdict"] == "good"


def test_an_address_excuses_nothing_of_a_mock_engine(checks: Checks, server: Loopback) -> None:
    server.replies[CHAT] = answers.answer_at_random
    found = checks()
    wrong = {name for name, check in found.items() if check["verdict"] == "wrong"}
    assert wrong == {"tool-call", "reasoning-low", "reasoning-high"}


def test_the_json_is_what_the_guide_describes(smoke: Callable[..., Answer], server: Loopback) -> None:
    answer = smoke("--json")
    report = json.loads(answer.out)
    assert answer.err == ""
    assert list(report) == ["stack", "url", "model", "mockEngine", "failed", "seconds", "checks"]
    assert (report["stack"], report["url"], report["model"]) == (None, server.url, MODEL)
    assert (report["mockEngine"], report["failed"]) == (None, False)
    assert all(
        list(check) == ["name", "asked", "verdict", "seconds", "found", "fix"] for check in report["checks"]
    )
    assert [check["seconds"] is None for check in report["checks"]].count(True) == 1
