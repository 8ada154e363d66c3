"""A server without Dynamo lists no workers, refuses fields that it does not know, and is asked everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.operations.smoke import answers
from tests.operations.smoke.loopback import Reply
from tests.support.trtllm_serve import PATHS, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.command import Answer, Command
    from tests.operations.smoke.loopback import Loopback


@pytest.fixture
def strict_server(server: Loopback) -> Loopback:
    """The healthy deployment's answers, from a server that takes what TensorRT-LLM's own server takes."""
    server.replies["/health"] = Reply("")
    for path in PATHS:
        server.replies[path] = _strict(path, server.replies[path])
    return server


def _strict(path: str, healthy: Reply | Callable[[Any], Reply]) -> Callable[[Any], Reply]:
    def reply(body: Any) -> Reply:
        refused = refusal(path, body)
        if refused is not None:
            return Reply({"object": "error", "message": refused, "type": "BadRequestError", "code": 400}, 400)
        return healthy(body) if callable(healthy) else healthy

    return reply


def _smoke(command: Command, server: Loopback, *options: str) -> Answer:
    return command("smoke", "--url", server.url, "--wait", "0", "--timeout", "10", *options)


def test_every_question_is_asked_and_taken(command: Command, strict_server: Loopback) -> None:
    answer = _smoke(command, strict_server)
    assert (answer.code, answer.err) == (0, "")
    assert f"{strict_server.url}: answers: 9 good, 1 does not apply of 10 checks" in answer.out


def test_a_server_that_lists_its_model_and_answers_nothing_fails(
    command: Command, strict_server: Loopback
) -> None:
    strict_server.replies[answers.CHAT] = Reply({"message": "no engine"}, 500)
    answer = _smoke(command, strict_server)
    assert answer.code == 1
    assert "HTTP 500" in answer.out


def test_a_stack_that_runs_by_docker_compose_expects_its_own_roles(
    command: Command, server: Loopback
) -> None:
    answer = command("smoke", "dev", "--url", server.url, "--wait", "0", "--timeout", "10")
    assert answer.code == 0
    server.replies["/health"] = Reply(answers.health(answers.instance("backend")))
    missing = command("smoke", "dev", "--url", server.url, "--wait", "0", "--timeout", "10")
    assert missing.code == 1
    assert "no prefill worker is registered" in missing.out
