"""The two listings together: what is registered, whatever its engine calls it, and when waiting is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from operations.document import Verdict
from operations.smoke.client import Answer
from operations.smoke.registration import judge_listings
from tests.operations.smoke.answers import MODEL, health, instance, models
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from operations.smoke.registration import Registration, Role

BOTH: tuple[Role, ...] = ("prefill", "decode")
ONE: tuple[Role, ...] = ("worker",)


def _look(listed: Any, *, served: Any = None, status: int = 200) -> tuple[Answer, Answer]:
    first, second = (
        Answer(status, Reply(each).text().decode()) for each in (listed, served or models(MODEL))
    )
    return first, second


def _judge(listed: Any, roles: tuple[Role, ...], **other: Any) -> Registration:
    return judge_listings(*_look(listed, **other), MODEL, roles)


@pytest.mark.parametrize("component", ["backend", "tensorrt_llm", "a_name_of_ones_own"])
def test_what_decodes_is_found_whatever_its_engine_calls_it(component: str) -> None:
    assert _judge(health(instance("prefill"), instance(component)), BOTH).is_over
    assert _judge(health(instance(component)), ONE).is_over


@pytest.mark.parametrize("component", ["prefill", "encode", "tensorrt_llm_encode", "router"])
def test_what_only_helps_is_no_worker(component: str) -> None:
    found = _judge(health(instance(component)), ONE)
    assert found.absent == ("worker",)
    assert found.workers.found.startswith("no worker is registered; registered: dyn://")


def test_a_server_without_dynamo_answers_for_itself() -> None:
    _, listed = _look([])
    found = judge_listings(Answer(200, ""), listed, MODEL, ONE)
    assert found.is_over
    verdicts = (found.frontend.verdict, found.workers.verdict, found.model.verdict)
    assert verdicts == (Verdict.GOOD, Verdict.GOOD, Verdict.GOOD)


def test_a_server_without_dynamo_does_not_say_whether_both_roles_are_behind_it() -> None:
    _, listed = _look([])
    found = judge_listings(Answer(200, ""), listed, MODEL, BOTH)
    assert found.is_over
    assert found.workers.verdict is Verdict.UNKNOWN


def test_an_endpoint_of_another_name_is_no_worker() -> None:
    indexer = instance("prefill") | {"endpoint": "worker_kv_indexer_query_dp0"}
    listed = health(instance("backend")) | {"instances": [instance("backend"), indexer]}
    listed["endpoints"].append("dyn://dynamo.prefill.worker_kv_indexer_query_dp0")
    assert _judge(listed, BOTH).absent == ("prefill",)


def test_each_of_the_two_lists_of_health_counts() -> None:
    # NVIDIA's guide shows one endpoint beside two instances; older frontends list no instances.
    guide = health(instance("backend")) | {"instances": [instance("backend"), instance("prefill")]}
    older = {"endpoints": ["dyn://dynamo.tensorrt_llm.generate", "dyn://dynamo.prefill.generate"]}
    assert _judge(guide, BOTH).is_over
    assert _judge(older, BOTH).is_over


def test_one_whole_generation_is_enough_during_a_rollout() -> None:
    new = instance("prefill", "new"), instance("backend", "new")
    assert _judge(health(instance("prefill", "old"), *new), BOTH).is_over


def test_a_healthy_frontend_with_nothing_behind_it_is_waited_for() -> None:
    found = _judge(health(), ONE, served=models())
    assert not found.is_over
    assert (found.frontend.verdict, found.workers.verdict, found.model.verdict) == (
        Verdict.GOOD,
        Verdict.WRONG,
        Verdict.WRONG,
    )


def test_workers_whose_model_the_frontend_could_not_read_name_its_log() -> None:
    found = _judge(health(instance("backend")), ONE, served=models())
    assert found.model.found == f"{MODEL} is not listed; listed: none"
    assert "`Error adding model from discovery` in the frontend's log" in found.model.fix
    assert _judge(health(), ONE, served=models()).model.fix == ""


@pytest.mark.parametrize(("status", "is_over"), [(401, True), (403, True), (404, False), (503, False)])
def test_waiting_is_over_only_where_it_cannot_help(status: int, is_over: bool) -> None:
    assert _judge(health(), ONE, status=status).is_over == is_over


def test_a_frontend_whose_health_fails_while_it_lists_models_is_wrong() -> None:
    listed = Answer(200, Reply(models(MODEL)).text().decode())
    found = judge_listings("no answer within 10 s", listed, MODEL, ONE)
    assert found.frontend.found == "GET /health: no answer within 10 s"
    assert found.workers.verdict is Verdict.NOT_RUN
    assert found.model.verdict is Verdict.GOOD
