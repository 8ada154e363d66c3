"""What the two listings say: which roles are registered, which model is listed, and when waiting is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from operations.smoke.client import Answer
from operations.smoke.registration import judge_listings
from tests.operations.smoke.answers import AFTER_CHAT, CHAT, MODEL, health, instance, models
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.smoke.registration import Registration
    from tests.cli.command import Answer as Printed
    from tests.operations.smoke.loopback import Loopback

    Checks = Callable[..., dict[str, dict[str, Any]]]

BOTH, ONE = ("prefill", "decode"), ("worker",)
BACKEND, PREFILL = instance("backend"), instance("prefill")
INDEXED = health(BACKEND) | {
    "instances": [BACKEND, PREFILL | {"endpoint": "worker_kv_indexer_query_dp0"}],
    "endpoints": [*health(BACKEND)["endpoints"], "dyn://dynamo.prefill.worker_kv_indexer_query_dp0"],
}
ROLLOUT = instance("prefill", "old"), instance("prefill", "new"), instance("backend", "new")


@pytest.mark.parametrize(
    ("listed", "roles", "absent"),
    [
        pytest.param(health(PREFILL, BACKEND), BOTH, (), id="the decode worker of vLLM"),
        pytest.param(health(PREFILL, instance("mine")), BOTH, (), id="a component name of one's own"),
        pytest.param(health(instance("tensorrt_llm")), ONE, (), id="the aggregated worker of TensorRT-LLM"),
        pytest.param(health(PREFILL), ONE, ONE, id="prefill alone is no worker"),
        pytest.param(health(instance("tensorrt_llm_encode")), ONE, ONE, id="an encoder is no worker"),
        pytest.param(health(instance("router")), ONE, ONE, id="a router is no worker"),
        pytest.param(INDEXED, BOTH, ("prefill",), id="another endpoint is no worker"),
        # NVIDIA's guide shows one endpoint beside two instances.
        pytest.param(health(BACKEND) | {"instances": [BACKEND, PREFILL]}, BOTH, (), id="instances alone"),
        pytest.param(health(*ROLLOUT), BOTH, (), id="one whole generation during a rollout"),
    ],
)
def test_a_role_is_found_whatever_its_engine_calls_it(listed: Any, roles: Any, absent: tuple[str]) -> None:
    found = _judged(Reply(listed), roles)
    assert found.absent == absent
    assert found.is_over is not bool(absent)


def _judged(listed: Reply, roles: Any, served: Any = None) -> Registration:
    served = Reply(served or models(MODEL), listed.status)
    health_answer, models_answer = (Answer(each.status, each.text().decode()) for each in (listed, served))
    return judge_listings(health_answer, models_answer, MODEL, roles)


def test_workers_whose_model_the_frontend_could_not_read_name_its_log() -> None:
    found = _judged(Reply(health(BACKEND)), ONE, models())
    assert found.model.found == f"{MODEL} is not listed; listed: none"
    assert "`Error adding model from discovery` in the frontend's log" in found.model.fix
    assert _judged(Reply(health()), ONE, models()).model.fix == ""


@pytest.mark.parametrize(("status", "is_over"), [(401, True), (403, True), (404, False), (503, False)])
def test_waiting_is_over_only_where_it_cannot_help(status: int, is_over: bool) -> None:
    assert _judged(Reply(health(), status), ONE).is_over == is_over


def test_a_model_that_is_absent_is_named_with_those_that_are_listed(checks: Checks, server: Loopback) -> None:
    server.replies["/v1/models"] = Reply(models("openai/gpt-oss-20b", "other"))
    found = checks()
    assert found["model"]["found"] == f"{MODEL} is not listed; listed: openai/gpt-oss-20b, other"
    assert "--served-model-name" in found["model"]["fix"]
    assert found["workers"]["verdict"] == "good"
    assert {found[name]["verdict"] for name in {"chat", *AFTER_CHAT}} == {"not-run"}
    assert found["chat"]["found"] == "needs model"
    assert server.bodies(CHAT) == []


def test_roles_of_two_generations_are_said_never_to_meet(checks: Checks, server: Loopback) -> None:
    server.replies["/health"] = Reply(health(instance("prefill", "old"), instance("tensorrt_llm", "new")))
    found = checks()["workers"]
    assert found["verdict"] == "wrong"
    assert "different generations, which never meet" in found["found"]


def test_a_worker_that_registers_late_is_waited_for_which_is_said_once(
    smoke: Callable[..., Printed], server: Loopback
) -> None:
    looks = iter([health(PREFILL), health(PREFILL)])
    server.replies["/health"] = lambda _: Reply(next(looks, health(PREFILL, BACKEND)))
    answer = smoke(wait=20)
    assert answer.code == 0
    assert answer.err.count("waiting, at most") == 1
    assert [asked.path for asked in server.asked[:6]].count("/health") == 3
