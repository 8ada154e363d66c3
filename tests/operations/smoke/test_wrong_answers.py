"""A deployment that answers one thing wrongly, and what a person is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import squeezed
from tests.operations.smoke import answers
from tests.operations.smoke.answers import AFTER_CHAT, CHAT, MODEL, NAMESPACE, RESPONSES
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.command import Answer
    from tests.operations.smoke.loopback import Loopback

    Checks = Callable[..., dict[str, dict[str, Any]]]


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
    answer = smoke(wait=1.0)
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
