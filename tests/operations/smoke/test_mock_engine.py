"""What a mock engine is excused from, and what not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import squeezed
from tests.operations.smoke import answers
from tests.operations.smoke.answers import CHAT
from tests.operations.smoke.cluster import SERVICES, Cluster, pod
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.command import Answer
    from tests.operations.smoke.loopback import Loopback

    Smoke = Callable[..., Answer]

WORKERS = [name for name in SERVICES if name != "Frontend"]
MOCKED = [pod("Frontend"), *(pod(name, engine="mock") for name in WORKERS)]
UNANSWERABLE = {"first-token", "tool-call", "reasoning-low", "reasoning-high"}


def _checks(answer: Answer) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in json.loads(answer.out)["checks"]}


def test_a_mock_engine_is_excused_from_what_only_a_model_can_say(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.have(*MOCKED)
    server.replies[CHAT] = answers.answer_at_random
    answer = smoke_stack("--json")
    found = _checks(answer)
    assert answer.code == 0
    assert json.loads(answer.out)["mockEngine"] is True
    assert {name for name, check in found.items() if check["verdict"] == "mock"} == UNANSWERABLE
    assert {check["verdict"] for name, check in found.items() if name not in UNANSWERABLE} == {"good"}
    assert found["tool-call"]["found"].startswith("cannot answer this: no tool_calls (finish_reason length)")


def test_the_table_of_a_mock_engine_says_mock(smoke_stack: Smoke, cluster: Cluster, server: Loopback) -> None:
    cluster.have(*MOCKED)
    server.replies[CHAT] = answers.answer_at_random
    out = squeezed(smoke_stack().out)
    assert "mock engine reasoning effort low" in out
    assert "stack dev: answers, from a mock engine: 6 good, 4 mock engine of 10 checks" in out


@pytest.mark.parametrize(
    "pods",
    [
        [pod("Frontend"), *map(pod, WORKERS)],
        # Half of it real: its answers may come from there.
        [pod("Frontend"), pod(WORKERS[0], engine="mock"), pod(WORKERS[1])],
        [pod("Frontend"), *(pod(name, engine="trtllm") for name in WORKERS)],
        [pod("Frontend", engine="mock")],
        [],
    ],
)
def test_a_real_engine_is_never_excused(
    pods: list[dict[str, Any]], smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.have(*pods)
    server.replies[CHAT] = answers.answer_at_random
    answer = smoke_stack("--json")
    found = _checks(answer)
    assert answer.code == 1
    assert json.loads(answer.out)["mockEngine"] is False
    assert {name for name, check in found.items() if check["verdict"] == "wrong"} == (
        UNANSWERABLE - {"first-token"}
    )


@pytest.mark.parametrize(
    "reply",
    [
        Reply(answers.chat("", reasoning=None)),
        Reply({"error": {"message": "lost"}}),
        Reply(answers.chat("<|channel|>final")),
        Reply("", 500),
    ],
)
def test_a_mock_engine_is_not_excused_from_an_answer(
    reply: Reply, smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.have(*MOCKED)
    server.replies[CHAT] = lambda body: answers.answer_at_random(body) if "tools" not in body else reply
    found = _checks(smoke_stack("--json"))
    assert found["tool-call"]["verdict"] == "wrong"
    assert found["reasoning-low"]["verdict"] == "mock"
