"""`dynamo-stack smoke STACK`: through a port-forward of its own, with what the stack and its pods say."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from hardware import KvPath
from tests.cli.command import Command, squeezed, write_stack
from tests.operations.smoke import answers
from tests.operations.smoke.answers import CHAT, checks_of
from tests.operations.smoke.conftest import SERVICES, Cluster, Smoke, pod
from tests.operations.smoke.loopback import Loopback, Reply
from tests.support.dev_settings import dev_settings
from tests.support.shipped_stacks import served_settings

WORKERS = [name for name in SERVICES if name != "Frontend"]
MOCKED = [pod("Frontend"), *(pod(name, engine="mock") for name in WORKERS)]
UNANSWERABLE = {"first-token", "tool-call", "reasoning-low", "reasoning-high"}


def test_a_stack_is_asked_through_its_frontends_service_and_nothing_is_left(
    smoke_stack: Smoke, cluster: Cluster
) -> None:
    answer = smoke_stack()
    assert (answer.code, answer.err) == (0, "")
    assert "stack dev: answers: 10 good of 10 checks" in answer.out
    [typed] = cluster.typed("port-forward")
    assert typed == (
        "--context dynamo-lab port-forward --address 127.0.0.1 --namespace gpt-oss "
        "service/gpt-oss-disagg-frontend :8000"
    )


def test_the_prompt_for_the_first_token_is_long_and_compared_with_what_explain_computes(
    smoke_stack: Smoke, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = checks_of(smoke_stack("--json"))["first-token"]
    [body] = [body for body in server.bodies(CHAT) if "stream_options" in body]
    assert len(body["messages"][0]["content"].split()) == 8_192 - 512
    # Answers begin with three tokens that no parser shows (OpenAI's harmony format).
    assert body["max_tokens"] > len(("<|channel|>", "analysis", "<|message|>"))
    assert (
        "for a prompt of 7,742 tokens; its 285 MB of KV cache take 0.10 to 0.29 s over tcp" in found["found"]
    )
    monkeypatch.setattr(KvPath, "late_first_token_seconds", 0.0)
    late = checks_of(smoke_stack("--json"))["first-token"]
    assert late["verdict"] == "wrong"
    assert "slower than NVIDIA's guide gives even for TCP" in late["found"]


def test_a_long_prompt_that_nobody_answers_is_wrong_with_what_its_cache_should_take(
    command: Command, cluster: Cluster, server: Loopback
) -> None:
    server.replies[CHAT] = lambda body: (
        Reply(silent=True) if "stream_options" in body else answers.answer_chat(body)
    )
    found = checks_of(command("smoke", "dev", "--wait", "0", "--timeout", "0.3", "--json"))
    silence = found["first-token"]["found"]
    assert silence.startswith("no answer within 0.3 s to a prompt of about 7,680 tokens")
    assert "0.09 to 0.28 s over tcp" in silence
    assert found["tool-call"]["verdict"] == "good"
    assert cluster.live_forwards() == []


def test_an_aggregated_stack_needs_one_worker_and_hands_no_kv_cache_over(
    command: Command, cluster: Cluster, server: Loopback, tmp_path: Path
) -> None:
    write_stack(tmp_path, served_settings("agg-gb200", context="dynamo-lab"), name="agg")
    server.replies["/health"] = Reply(answers.health(answers.instance("tensorrt_llm")))
    answer = command("smoke", "agg", "--wait", "0", "--json", folder=tmp_path)
    found = checks_of(answer)
    assert answer.code == 0
    assert found["workers"]["asked"] == "a worker"
    assert found["first-token"]["verdict"] == "not-applicable"
    assert found["first-token"]["found"] == "aggregated: the KV cache never leaves its worker"
    [typed] = cluster.typed("port-forward")
    assert "service/gpt-oss-agg-frontend" in typed


@pytest.mark.parametrize(
    ("state", "refusal", "said", "fix"),
    [
        pytest.param(
            {"ready": False, "waiting": {"reason": "ImagePullBackOff", "message": "no such image"}},
            "error: unable to forward port because pod is not running. Current status=Pending\n",
            "main waiting, ImagePullBackOff no such image",
            "",
            id="a pod that does not run",
        ),
        pytest.param(
            {},
            "error: timed out waiting for the condition\n",
            "Ready, and it does not answer; its log says why",
            "logs gpt-oss-disagg-frontend-0 --namespace gpt-oss",
            id="a ready pod",
        ),
    ],
)
def test_a_frontend_that_cannot_be_reached_is_said_in_kubectls_words_with_its_pods_state(
    state: dict[str, Any], refusal: str, said: str, fix: str, smoke_stack: Smoke, cluster: Cluster
) -> None:
    cluster.have(pod("Frontend", **state))
    cluster.say("port-forward.refused", refusal)
    answer = smoke_stack("--json", wait=0.01)
    found = checks_of(answer)["frontend"]
    assert answer.code == 1
    assert "kubectl port-forward ended after " in found["found"]
    assert f" s: {refusal.strip().removeprefix('error: ')}" in found["found"]
    assert f"gpt-oss-disagg-frontend-0: {said}" in found["found"]
    assert fix in found["fix"]


def test_a_port_forward_that_ended_is_started_again(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    looks = iter([answers.health()])
    whole = Reply(answers.health(answers.instance("prefill"), answers.instance("tensorrt_llm")))

    def look(_: object) -> Reply:
        found = next(looks, None)
        if found is None:
            return whole
        ended = cluster.live_forwards()[0]
        os.kill(ended, signal.SIGKILL)
        return Reply(found)

    server.replies["/health"] = look
    answer = smoke_stack(wait=20)
    assert answer.code == 0, answer.out
    assert len(cluster.typed("port-forward")) == 2


@pytest.mark.parametrize(
    ("verb", "refusal", "said", "fix"),
    [
        (
            "get",
            "The connection to the server 127.0.0.1:1 was refused",
            "the cluster of context dynamo-lab does not answer; nothing was changed\n  The connection",
            "`kubectl --context dynamo-lab get nodes`; nothing can be done without it",
        ),
        (
            "get",
            "error: You must be logged in to the server (Unauthorized)",
            "the cluster of context dynamo-lab refuses the credentials of the kubeconfig; nothing was",
            "log in again (with EKS `aws sso login`, or AWS_PROFILE), then `kubectl",
        ),
        (
            "port-forward",
            'error: error upgrading connection: pods "f" is forbidden: User "v" cannot create resource',
            "stack dev could not be asked: GET /health: kubectl port-forward ended after ",
            "`kubectl --context dynamo-lab auth can-i create pods --subresource=portforward "
            "--namespace gpt-oss`",
        ),
    ],
    ids=["no API server", "refused credentials", "no right to a port-forward"],
)
def test_what_could_not_be_asked_is_no_verdict_on_the_deployment(
    verb: str,
    refusal: str,
    said: str,
    fix: str,
    smoke_stack: Smoke,
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster.say(f"{verb}.refused", f"{refusal}\n")
    answer = smoke_stack(wait=5)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(said)
    assert f"\n  try: {fix}" in answer.err
    # It looks once: waiting brings no right.
    assert len(cluster.typed("port-forward")) <= 2
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = smoke_stack()
    assert (answer.code, answer.out) == (2, "")
    assert "`kubectl` is needed and not on PATH" in answer.err


@pytest.mark.parametrize(
    ("stack", "options", "said"),
    [
        ("disagg-gb200-two-trays", (), "stack disagg-gb200-two-trays has no graph yet: pool"),
        ("dev", ("--model", "x"), "goes with --url"),
        ("dev", ("--disaggregated",), "goes with --url"),
        ("dev", ("--api-key-from", "HOME"), "goes with --url"),
    ],
)
def test_a_stack_without_a_graph_and_what_a_stack_says_itself_are_refused(
    stack: str, options: tuple[str, ...], said: str, smoke_stack: Smoke
) -> None:
    answer = smoke_stack(*options, stack=stack)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.parametrize(("version", "is_cause"), [("1.2.1", True), ("1.4.2", False)])
def test_a_tool_call_that_does_not_come_back_is_explained_by_the_release(
    version: str, is_cause: bool, command: Command, cluster: Cluster, server: Loopback, tmp_path: Path
) -> None:
    settings = dev_settings()
    settings["platform"]["version"] = version
    write_stack(tmp_path, settings)
    server.replies[CHAT] = lambda body: (
        Reply(answers.chat("All is well.")) if "tools" in body else answers.answer_chat(body)
    )
    answer = command("smoke", "dev", "--wait", "0", "--json", folder=tmp_path)
    assert answer.out, answer.err
    found = checks_of(answer)["tool-call"]
    assert found["found"].startswith("no tool_calls (finish_reason stop)")
    said = "Dynamo 1.2.1: gpt-oss-120b puts about half of its tool calls on the analysis channel"
    assert found["fix"].startswith(said) is is_cause
    assert "run it again: a model may answer by itself" in found["fix"]


def test_a_mock_engine_is_excused_from_what_only_a_model_can_say(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.have(*MOCKED)
    server.replies[CHAT] = answers.answer_at_random
    answer = smoke_stack("--json")
    found = checks_of(answer)
    assert answer.code == 0
    assert json.loads(answer.out)["mockEngine"] is True
    assert {name for name, check in found.items() if check["verdict"] == "mock"} == UNANSWERABLE
    assert {check["verdict"] for name, check in found.items() if name not in UNANSWERABLE} == {"good"}
    assert found["tool-call"]["found"].startswith("cannot answer this: no tool_calls (finish_reason length)")
    out = squeezed(smoke_stack().out)
    assert "mock engine reasoning effort low" in out
    assert "stack dev: answers, from a mock engine: 6 good, 4 mock engine of 10 checks" in out


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param([pod("Frontend"), *map(pod, WORKERS)], id="real workers"),
        # Its answers may come from the real half.
        pytest.param(
            [pod("Frontend"), pod(WORKERS[0], engine="mock"), pod(WORKERS[1])], id="half of it real"
        ),
        pytest.param([pod("Frontend", engine="mock")], id="no workers"),
    ],
)
def test_a_real_engine_is_never_excused(
    pods: list[dict[str, Any]], smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.have(*pods)
    server.replies[CHAT] = answers.answer_at_random
    answer = smoke_stack("--json")
    found = checks_of(answer)
    assert answer.code == 1
    assert json.loads(answer.out)["mockEngine"] is False
    assert {name for name, check in found.items() if check["verdict"] == "wrong"} == (
        UNANSWERABLE - {"first-token"}
    )


@pytest.mark.parametrize(
    "reply",
    [Reply(answers.chat("", reasoning=None)), Reply(answers.chat("<|channel|>final")), Reply("", 500)],
    ids=["nothing", "unparsed", "an error"],
)
def test_a_mock_engine_is_not_excused_from_an_answer(
    reply: Reply, smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.have(*MOCKED)
    server.replies[CHAT] = lambda body: answers.answer_at_random(body) if "tools" not in body else reply
    found = checks_of(smoke_stack("--json"))
    assert found["tool-call"]["verdict"] == "wrong"
    assert found["reasoning-low"]["verdict"] == "mock"
