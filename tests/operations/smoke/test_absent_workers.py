"""What `dynamo-stack smoke STACK` says of workers that are absent, and of a model that nobody lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.operations.smoke import answers
from tests.operations.smoke.answers import checks_of
from tests.operations.smoke.cluster import SERVICES, Cluster, pod
from tests.operations.smoke.loopback import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.command import Answer
    from tests.operations.smoke.loopback import Loopback

    Smoke = Callable[..., Answer]

PREFILL = "gpt-oss-disagg-trtllmprefillworker-0"


def test_a_role_that_is_absent_is_named_with_its_pod_and_the_pods_state(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    reason = {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}
    cluster.have(
        pod("Frontend"),
        pod("TrtllmPrefillWorker", ready=False, waiting=reason, restarts=5),
        pod("TrtllmDecodeWorker"),
    )
    server.replies["/health"] = Reply(answers.health(answers.instance("tensorrt_llm")))
    answer = smoke_stack("--json")
    found = checks_of(answer)["workers"]
    assert answer.code == 1
    assert found["found"] == (
        "no prefill worker is registered; registered: "
        "dyn://gpt-oss-gpt-oss-disagg-50a07eaa.tensorrt_llm.generate; "
        "pod gpt-oss-disagg-trtllmprefillworker-0: main waiting, CrashLoopBackOff back-off 5m0s"
    )
    assert found["fix"].startswith(
        "`kubectl --context dynamo-lab logs gpt-oss-disagg-trtllmprefillworker-0 --namespace gpt-oss "
        "--tail=20 --previous`"
    )


@pytest.mark.parametrize(
    ("pods", "said"),
    [
        ([pod("Frontend"), pod("TrtllmDecodeWorker")], "TrtllmPrefillWorker has no pod"),
        (
            [pod(name) for name in SERVICES],
            "pod gpt-oss-disagg-trtllmprefillworker-0: Ready, and not registered: its log says why",
        ),
    ],
)
def test_a_role_without_a_pod_or_with_a_silent_one_is_told_apart(
    pods: list[dict[str, Any]], said: str, smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.have(*pods)
    server.replies["/health"] = Reply(answers.health(answers.instance("tensorrt_llm")))
    assert said in checks_of(smoke_stack("--json"))["workers"]["found"]


def test_a_role_that_the_graph_asks_no_replicas_of_is_said_to_be_that(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.have(pod("Frontend"), pod("TrtllmDecodeWorker"))
    cluster.ask_for(TrtllmPrefillWorker=0)
    server.replies["/health"] = Reply(answers.health(answers.instance("tensorrt_llm")))
    found = checks_of(smoke_stack("--json"))["workers"]
    assert "TrtllmPrefillWorker has no pod: graph gpt-oss-disagg asks for 0 replicas of it" in found["found"]
    assert "get dynamographdeployments.nvidia.com gpt-oss-disagg --namespace gpt-oss" in found["fix"]


def test_a_pod_that_crashed_says_its_last_words_from_its_status_or_else_from_its_log(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}
    server.replies["/health"] = Reply(answers.health(answers.instance("tensorrt_llm")))
    cluster.log("loading", "ValueError: no such flag")
    for message, said in (
        ("kept words", "code 1: kept words"),
        ("", "end of its log: loading / ValueError: no"),
    ):
        ended = {"exitCode": 1, "reason": "Error", "message": message}
        worker = pod("TrtllmPrefillWorker", ready=False, waiting=waiting, restarts=5, ended=ended)
        cluster.have(pod("Frontend"), worker, pod("TrtllmDecodeWorker"))
        assert said in checks_of(smoke_stack("--json"))["workers"]["found"]
    [asked] = cluster.typed("logs")
    assert asked == (
        f"--context dynamo-lab logs {PREFILL} --namespace gpt-oss --container main --tail=80 --previous"
    )


def test_a_worker_under_another_name_is_wrong_though_the_model_is_listed(
    smoke_stack: Smoke, cluster: Cluster
) -> None:
    cluster.register(**{PREFILL: "gpt-oss", "gpt-oss-disagg-trtllmdecodeworker-0": "openai/gpt-oss-120b"})
    found = checks_of(smoke_stack("--json"))["model"]
    assert found["verdict"] == "wrong"
    assert found["found"] == f"openai/gpt-oss-120b is listed; pod {PREFILL} has registered as gpt-oss"
    assert found["fix"].startswith("--served-model-name of the workers")


def test_a_model_that_the_frontend_could_not_add_is_said_in_the_last_words_of_its_log_about_it(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    server.replies["/v1/models"] = Reply({"object": "list", "data": []})
    sign = "Error adding model from discovery"
    cluster.log(
        f"{sign} error=older", f"\x1b[2mERROR\x1b[0m {sign} \x1b[3merror\x1b[0m=newer", "http response sent"
    )
    found = checks_of(smoke_stack("--json"))["model"]
    assert found["found"].endswith(f"; pod gpt-oss-disagg-frontend-0 logs: {sign} error=newer")


@pytest.mark.parametrize(
    ("listed", "written", "said"),
    [
        (
            (),
            (),
            "no EndpointSlice with the label nvidia.com/dynamo-discovery-enabled=true lists it as ready",
        ),
        (
            ("another",),
            (PREFILL,),
            "no EndpointSlice with the label nvidia.com/dynamo-discovery-enabled=true",
        ),
        ((PREFILL,), ("another",), "it has written no DynamoWorkerMetadata; its log says why"),
        ((PREFILL,), (PREFILL,), "Ready, and not registered: its log says why"),
    ],
)
def test_a_ready_pod_that_kubernetes_discovery_cannot_show_is_said_to_be_that(
    listed: tuple[str, ...],
    written: tuple[str, ...],
    said: str,
    smoke_stack: Smoke,
    cluster: Cluster,
    server: Loopback,
) -> None:
    cluster.discover(*listed, written=written)
    server.replies["/health"] = Reply(answers.health(answers.instance("tensorrt_llm")))
    found = checks_of(smoke_stack("--json"))["workers"]
    assert said in found["found"]
    assert (f"logs {PREFILL} --namespace gpt-oss --tail=20`" in found["fix"]) is ("log" in said)


def test_a_service_without_the_label_is_named_and_shown(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    cluster.discover(unlabelled=(PREFILL,))
    server.replies["/health"] = Reply(answers.health(answers.instance("tensorrt_llm")))
    found = checks_of(smoke_stack("--json"))["workers"]
    assert (
        f"pod {PREFILL}: Ready, and not registered: the EndpointSlice of Service of-the-worker lists it "
        "without the label nvidia.com/dynamo-discovery-enabled=true"
    ) in found["found"]
    assert "get services,endpointslices.discovery.k8s.io --namespace gpt-oss --label-columns" in found["fix"]
