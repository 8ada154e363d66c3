"""What the listings, a text and the time of a first token are worth, and when waiting is over."""

import json
from typing import Any

import pytest

from hardware import KvPath, Standing
from hardware.kv_transport import KvTransportName
from hardware.source import DYNAMO_TRANSPORT_GUIDE
from operations.document import Verdict
from operations.smoke.client import Answer
from operations.smoke.first_token import judge_first_token, prompt_words
from operations.smoke.registration import Registration, judge_listings
from operations.smoke.texts import channel_mark, looks_like_call, repeated_end
from recipes.load import load_recipe
from tests.operations.smoke.answers import AFTER_CHAT, CHAT, MODEL, health, instance, models
from tests.operations.smoke.conftest import Checks, Smoke
from tests.operations.smoke.loopback import Loopback, Reply
from tests.support.shipped_stacks import shipped_stack

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
    found = _judged(listed, roles)
    assert found.absent == absent
    assert found.is_over is not bool(absent)


def _judged(listed: Any, roles: Any, served: Any = None, status: int = 200) -> Registration:
    health_answer = Answer(status, json.dumps(listed))
    return judge_listings(health_answer, Answer(status, json.dumps(served or models(MODEL))), MODEL, roles)


def test_workers_whose_model_the_frontend_could_not_read_name_its_log() -> None:
    found = _judged(health(BACKEND), ONE, models())
    assert found.model.found == f"{MODEL} is not listed; listed: none"
    assert "`Error adding model from discovery` in the frontend's log" in found.model.fix
    assert _judged(health(), ONE, models()).model.fix == ""


@pytest.mark.parametrize(("status", "is_over"), [(401, True), (403, True), (404, False), (503, False)])
def test_waiting_is_over_only_where_it_cannot_help(status: int, is_over: bool) -> None:
    assert _judged(health(), ONE, status=status).is_over == is_over


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
    smoke: Smoke, server: Loopback
) -> None:
    looks = iter([health(PREFILL), health(PREFILL)])
    server.replies["/health"] = lambda _: Reply(next(looks, health(PREFILL, BACKEND)))
    answer = smoke(wait=20)
    assert answer.code == 0
    assert answer.err.count("waiting, at most") == 1
    assert [asked.path for asked in server.asked[:6]].count("/health") == 3


RECIPE = load_recipe("gpt-oss-120b/trtllm-disagg")
LATE = (
    "98.00 s for a prompt of 8,192 tokens; its 302 MB of KV cache take 0.006 s over rdma and 0.10 to 0.30 s "
    "over TCP; over 10 s NVIDIA's guide sees no RDMA: the signature of plain TCP"
)


@pytest.mark.parametrize(
    ("seconds", "transport", "gbit", "verdict", "said"),
    [
        pytest.param(98.0, "rdma", 400.0, Verdict.WRONG, LATE, id="late over RDMA has the signature of TCP"),
        pytest.param(10.1, "rdma", 400.0, Verdict.WRONG, "over 10 s", id="just late"),
        pytest.param(0.09, "rdma", 400.0, Verdict.GOOD, "TCP alone would take longer", id="before TCP could"),
        pytest.param(
            0.31, "mnnvl", 7_200.0, Verdict.GOOD, "one request does not rule TCP out", id="in between"
        ),
        # Over TCP that a person chose, the guide's 98 s are the limit.
        pytest.param(12.0, "tcp", None, Verdict.GOOD, "over tcp", id="slow over TCP"),
        pytest.param(99.0, "tcp", None, Verdict.WRONG, "slower than NVIDIA's guide", id="late over TCP"),
    ],
)
def test_a_first_token_is_held_against_what_its_transport_takes(
    seconds: float, transport: KvTransportName, gbit: float | None, verdict: Verdict, said: str
) -> None:
    found = judge_first_token(seconds, 8_192, _path(transport, gbit), RECIPE)
    assert found.verdict is verdict
    assert said in found.found
    assert ("tcp/eth0" in found.fix) is (verdict is Verdict.WRONG)


def _path(transport: KvTransportName, gbit: float | None) -> KvPath:
    return KvPath(transport, Standing.DOCUMENTED, "", DYNAMO_TRANSPORT_GUIDE, gbit, "")


def test_tokens_that_nobody_counted_are_taken_from_the_prompt() -> None:
    found = judge_first_token(0.2, None, _path("tcp", 200.0), RECIPE)
    assert "a prompt of 7,680 tokens; its 283 MB of KV cache take 0.01 to 0.45 s over tcp" in found.found


@pytest.mark.parametrize("name", ["disagg-gb200-two-trays", "dev"])
def test_the_prompt_of_a_stack_is_nearly_as_long_as_explain_computes_with_and_fits(name: str) -> None:
    recipe = shipped_stack(name).serving.placed.recipe
    assert recipe.kv_bytes_per_token == 36_864
    assert 0.9 * recipe.traffic.input_tokens < prompt_words(recipe) < recipe.longest_prompt - 500


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("The analysis of the assistant is final.", ""),
        ("analysisWe look.assistantfinalReady.", "analysis…assistantfinal"),
        ("analysis: all is well, said the assistant finally", ""),
        ("<|start|>assistant<|channel|>final<|message|>Ready.", "<|start|>"),
        ("Ready.<|return|>", "<|return|>"),
        ("a <|tag|> of another kind", ""),
    ],
)
def test_a_mark_of_a_channel_is_told_from_what_a_person_writes(text: str, mark: str) -> None:
    assert channel_mark(text) == mark


@pytest.mark.parametrize(
    ("text", "is_call"),
    [
        ("I would call the function check_disk to see.", False),
        ("check_disk tells whether there is room.", False),
        ("check_disk()", True),
        ('{"name":"check_disk","arguments":{}}', True),
        ("to=functions.check_disk", True),
    ],
)
def test_a_call_is_told_from_talk_about_it(text: str, is_call: bool) -> None:
    assert looks_like_call(text, "check_disk") == is_call


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("", ""),
        ("it is " + "very " * 9 + "good", ""),
        ("it is" + " very" * 10, "very"),
        ("it is" + " so, so" * 12 + "\n", "so, so"),
        ("| a | b |\n" + "-" * 60, ""),
    ],
)
def test_only_an_end_of_ten_times_the_same_is_a_repetition(text: str, unit: str) -> None:
    assert repeated_end(text) == unit
