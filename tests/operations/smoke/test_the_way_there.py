"""The way to a frontend at an address: what is typed, what is late, cut off or refused, and the key."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operations.smoke.address import parse_url
from tests.cli.command import ROOT, Command
from tests.operations.smoke import answers
from tests.operations.smoke.answers import AFTER_CHAT, CHAT, checks_of
from tests.operations.smoke.conftest import Checks, Cluster, Smoke
from tests.operations.smoke.loopback import DEADLINE_SECONDS, Loopback, Reply
from tests.support.trtllm_serve import PATHS, refusal


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://localhost:8000", "http://localhost:8000"),
        ("https://models.example.com/", "https://models.example.com"),
        ("http://localhost:8000/v1/chat/completions", "http://localhost:8000"),
        ("http://localhost:8000/health", "http://localhost:8000"),
        ("https://gateway.example.com/gpt-oss/v1/", "https://gateway.example.com/gpt-oss"),
    ],
)
def test_a_url_ends_before_v1_however_much_of_it_is_typed(text: str, url: str) -> None:
    assert parse_url(text) == url


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "give a STACK, a --url URL, or both"),
        (["http://user:hidden@host:1"], "is an address, which `smoke` and `bench`"),
        (["--url", "localhost:8000"], "try: --url http://localhost:8000"),
        (["--url", ""], "try: --url http://localhost:8000"),
        (["--url", "http://"], "is no URL of HTTP"),
        (["--url", "http://host:99999"], "is no URL of HTTP"),
        (["--url", "http://ho st:1"], "is no URL of HTTP"),
        (["--url", "http://host/v1?key=1"], "try: --url http://host/v1"),
        (["--url", "http://[::1"], "is no URL of HTTP"),
        (["--url", "http://user:hidden@host:1"], "try: --api-key-from VARIABLE"),
    ],
)
def test_what_is_no_url_ends_before_anything_is_asked(
    options: list[str], said: str, command: Command
) -> None:
    answer = command("smoke", *options)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert "Traceback" not in answer.err
    assert "hidden" not in answer.err


@pytest.mark.parametrize("value", ["", "Bearer sk-hidden", "sk-\nhidden", "schlüssel-hidden"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(
    value: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_KEY", value)
    answer = command("smoke", "--url", "http://127.0.0.1:9", "--api-key-from", "GATEWAY_KEY")
    assert (answer.code, answer.out) == (2, "")
    assert "--api-key-from GATEWAY_KEY: " in answer.err
    assert "hidden" not in answer.err


@pytest.mark.usefixtures("little_patience")
@pytest.mark.parametrize(
    ("path", "reply", "check", "found"),
    [
        (CHAT, Reply(silent=True), "chat", "no answer within 10 s"),
        (CHAT, Reply(drips=True), "chat", "the answer had not ended after 10 s"),
        ("/health", Reply(silent=True), "frontend", "GET /health: no answer within 10 s"),
        (
            CHAT,
            Reply(answers.chat(), announced=10_000),
            "chat",
            "the connection was closed before the answer was whole",
        ),
    ],
    ids=["silence", "drips", "a silent listing", "a cut"],
)
def test_an_answer_that_does_not_end_well_is_left_and_nothing_else_is_asked(
    path: str, reply: Reply, check: str, found: str, checks: Checks, server: Loopback
) -> None:
    server.replies[path] = reply
    seen = checks()
    assert seen[check]["found"] == found
    assert {seen[name]["verdict"] for name in AFTER_CHAT} == {"not-run"}


@pytest.mark.usefixtures("little_patience")
def test_a_stream_that_stops_in_the_middle_ends_after_the_timeout(checks: Checks, server: Loopback) -> None:
    stopping = Reply(events=answers.stream("The ", "service ", "is ready."), silent_after=2)
    server.replies[CHAT] = lambda body: stopping if body["stream"] else answers.answer_chat(body)
    assert checks()["stream"]["found"] == "no answer within 10 s"


def test_control_characters_of_an_answer_do_not_reach_the_terminal(smoke: Smoke, server: Loopback) -> None:
    server.replies[CHAT] = Reply(answers.chat("\x1b[2Jgone"))
    answer = smoke()
    assert "\x1b" not in answer.out
    assert "[2Jgone" in answer.out


def test_a_frontend_that_is_not_there_is_said_to_refuse(smoke: Smoke, server: Loopback) -> None:
    server.url = "http://127.0.0.1:9"
    answer = smoke(wait=0.01)
    assert answer.code == 1
    assert "GET /health: no answer: Connection refused" in answer.out
    assert "1 wrong, 9 not run of 10 checks" in answer.out


def test_a_gateway_that_wants_a_key_ends_the_wait_at_once(checks: Checks, server: Loopback) -> None:
    refused = Reply({"error": {"message": "missing key"}}, 401)
    server.replies |= {"/health": refused, "/v1/models": refused}
    found = checks(wait=60)
    assert found["frontend"]["found"] == "GET /health: HTTP 401: 'missing key'"
    assert "--api-key-from" in found["frontend"]["fix"]
    assert len(server.asked) == 2


def test_the_key_of_a_variable_is_sent_and_never_shown(
    smoke: Smoke, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "sk-hidden")
    server.replies["/v1/models"] = Reply({"error": "refused"}, 403)
    answer = smoke("--api-key-from", "GATEWAY_KEY")
    assert {asked.headers["Authorization"] for asked in server.asked} == {"Bearer sk-hidden"}
    assert "sk-hidden" not in answer.out + answer.err


def test_credentials_that_nobody_named_are_not_sent(
    smoke: Smoke, server: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password hidden\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden")
    assert smoke().code == 0
    assert [asked.headers for asked in server.asked if "Authorization" in asked.headers] == []


def test_behind_a_gateway_that_keeps_health_back_the_roles_are_unknown_and_the_rest_is_asked(
    smoke_stack: Smoke, server: Loopback
) -> None:
    server.replies["/health"] = Reply("", 404)
    found = checks_of(smoke_stack("--json"))
    assert found["workers"]["verdict"] == "unknown"
    assert "a gateway keeps it back" in found["workers"]["found"]
    assert found["tool-call"]["verdict"] == "good"


def test_a_server_without_dynamo_takes_every_question_and_its_refusal_is_heard(
    command: Command, server: Loopback
) -> None:
    server.replies["/health"] = Reply("")
    for path in PATHS:
        server.replies[path] = _strict(path, server.replies[path])
    typed = ("smoke", "--url", server.url, "--wait", "0", "--timeout", "10")
    answer = command(*typed)
    assert (answer.code, answer.err) == (0, "")
    assert f"{server.url}: answers: 9 good, 1 does not apply of 10 checks" in answer.out
    server.replies[CHAT] = Reply({"message": "no engine"}, 500)
    answer = command(*typed)
    assert answer.code == 1
    assert "HTTP 500" in answer.out


def _strict(path: str, healthy: Reply | Callable[[Any], Reply]) -> Callable[[Any], Reply]:
    """Answers well to what TensorRT-LLM's own server takes, and refuses fields that it does not know."""

    def reply(body: Any) -> Reply:
        refused = refusal(path, body)
        if refused is not None:
            return Reply({"object": "error", "message": refused, "type": "BadRequestError", "code": 400}, 400)
        return healthy(body) if callable(healthy) else healthy

    return reply


def test_a_stack_that_runs_by_docker_compose_expects_its_own_roles(
    command: Command, server: Loopback
) -> None:
    typed = ("smoke", "dev", "--url", server.url, "--wait", "0", "--timeout", "10")
    assert command(*typed).code == 0
    server.replies["/health"] = Reply(answers.health(answers.instance("backend")))
    missing = command(*typed)
    assert missing.code == 1
    assert "no prefill worker is registered" in missing.out


COMMAND = [sys.executable, "-c", "from cli.main import main; main()", "smoke", "dev"]


@pytest.mark.parametrize(
    ("number", "code", "path"),
    [(signal.SIGINT, 130, CHAT), (signal.SIGTERM, 143, "/health")],
)
def test_it_ends_at_once_and_leaves_no_port_forward(
    number: signal.Signals, code: int, path: str, server: Loopback, tmp_path: Path
) -> None:
    cluster = Cluster.at(tmp_path, server.port)
    server.replies[path] = Reply(silent=True)
    process = subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env=os.environ | cluster.variables | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.first_silence.wait(DEADLINE_SECONDS)
        assert len(cluster.live_forwards()) == 1
        process.send_signal(number)
        out, err = process.communicate(timeout=DEADLINE_SECONDS)
    finally:
        process.kill()
    assert (process.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert cluster.live_forwards() == []
    if number is signal.SIGINT:
        assert "interrupted" in err
