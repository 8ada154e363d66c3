"""What `dynamo-stack smoke --url` says of roles that nobody registers, and of a model that nobody lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import squeezed
from tests.operations.smoke import answers
from tests.operations.smoke.answers import AFTER_CHAT, CHAT, MODEL, NAMESPACE
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.command import Answer
    from tests.operations.smoke.loopback import Loopback

    Checks = Callable[..., dict[str, dict[str, Any]]]


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
    assert [asked.path for asked in server.asked[:6]].count("/health") == 3
