"""The way to the frontend: what is late, cut off, refused, or needs a key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.operations.smoke import answers
from tests.operations.smoke.answers import AFTER_CHAT, CHAT, MODEL
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.command import Answer
    from tests.operations.smoke.loopback import Loopback

    Checks = Callable[..., dict[str, dict[str, Any]]]


def _instead(condition: Callable[[dict[str, Any]], bool], reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Answers well but where the condition holds."""
    return lambda body: reply if condition(body) else answers.answer_chat(body)


def _streams(body: dict[str, Any]) -> bool:
    return body["stream"]


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
    assert list(report)[:2] == ["schema", "version"]
    assert list(report)[2:] == ["stack", "url", "model", "mockEngine", "seconds", "checks", "failed"]
    assert (report["stack"], report["url"], report["model"]) == (None, server.url, MODEL)
    assert (report["mockEngine"], report["failed"]) == (None, False)
    assert all(
        list(check) == ["name", "asked", "seconds", "verdict", "found", "fix"] for check in report["checks"]
    )
    assert [check["seconds"] is None for check in report["checks"]].count(True) == 1
