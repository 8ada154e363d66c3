"""What `dynamo-stack smoke STACK` says of workers that are absent, and of a model that nobody lists."""

import json
from typing import Any

import pytest

from components.dynamo_objects import COMPONENT
from operations.smoke.client import Frontend
from operations.smoke.graph_pods import GraphPods
from operations.smoke.run import ask, target_of_stack
from tests.cli.command import merged
from tests.operations.smoke import answers
from tests.operations.smoke.answers import MODEL, checks_of
from tests.operations.smoke.conftest import SERVICES, Cluster, Smoke, pod
from tests.operations.smoke.loopback import Loopback, Reply
from tests.support.clusters import Told
from tests.support.shipped_stacks import shipped_stack

PREFILL = "gpt-oss-disagg-trtllmprefillworker-0"
CRASHED = {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}
LOGS = f"`kubectl --context dynamo-lab logs {PREFILL} --namespace gpt-oss --tail=20"
LABEL = "the label nvidia.com/dynamo-discovery-enabled=true"
UNSEEN = f"no EndpointSlice with {LABEL} lists it as ready"


def _crashing() -> list[dict[str, Any]]:
    prefill = pod("TrtllmPrefillWorker", ready=False, waiting=CRASHED, restarts=5)
    return [pod("Frontend"), prefill, pod("TrtllmDecodeWorker")]


@pytest.mark.parametrize(
    ("pods", "discovered", "said", "fix"),
    [
        pytest.param(
            _crashing(),
            None,
            "no prefill worker is registered; registered: dyn://gpt-oss-gpt-oss-disagg-50a07eaa.tensorrt_llm."
            f"generate; pod {PREFILL}: main waiting, CrashLoopBackOff back-off 5m0s",
            f"{LOGS} --previous`",
            id="a pod that crashes",
        ),
        pytest.param(
            [pod("Frontend"), pod("TrtllmDecodeWorker")],
            None,
            "TrtllmPrefillWorker has no pod",
            "",
            id="no pod",
        ),
        pytest.param(
            None, None, "Ready, and not registered: its log says why", f"{LOGS}`", id="a silent pod"
        ),
        pytest.param(None, {}, UNSEEN, "", id="no EndpointSlice"),
        pytest.param(None, {"listed": "another", "written": PREFILL}, UNSEEN, "", id="the slice of another"),
        pytest.param(
            None,
            {"listed": PREFILL, "written": "another"},
            "it has written no DynamoWorkerMetadata; its log says why",
            f"{LOGS}`",
            id="no metadata",
        ),
        pytest.param(
            None,
            {"listed": PREFILL, "written": PREFILL},
            "Ready, and not registered: its log says why",
            f"{LOGS}`",
            id="discovered and silent",
        ),
        pytest.param(
            None,
            {"unlabelled": PREFILL},
            f"the EndpointSlice of Service of-the-worker lists it without {LABEL}",
            "get services,endpointslices.discovery.k8s.io --namespace gpt-oss --label-columns",
            id="a Service without the label",
        ),
    ],
)
def test_a_role_that_is_absent_is_named_with_why_its_pod_is_not_registered(
    pods: list[dict[str, Any]] | None,
    discovered: dict[str, str] | None,
    said: str,
    fix: str,
    smoke_stack: Smoke,
    cluster: Cluster,
    server: Loopback,
) -> None:
    cluster.have(*(pods or map(pod, SERVICES)))
    if discovered is not None:
        cluster.discover(**discovered)
    server.replies["/health"] = Reply(answers.health(answers.instance("tensorrt_llm")))
    answer = smoke_stack("--json")
    found = checks_of(answer)["workers"]
    assert answer.code == 1
    assert said in found["found"]
    assert fix in found["fix"]
    assert ("logs" in found["fix"]) is ("logs" in fix)


def test_pods_that_cannot_be_read_are_not_said_to_be_absent(
    smoke_stack: Smoke, cluster: Cluster, server: Loopback
) -> None:
    del cluster.objects["pods"]
    server.replies["/health"] = Reply(answers.health(answers.instance("prefill")))
    answer = smoke_stack("--json")
    assert json.loads(answer.out)["mockEngine"] is None
    found = checks_of(answer)["workers"]["found"]
    assert "; their pods cannot be read" in found
    assert "no pod" not in found


def test_a_worker_under_another_name_is_wrong_though_the_model_is_listed(
    smoke_stack: Smoke, cluster: Cluster
) -> None:
    cluster.register(**{PREFILL: "gpt-oss", "gpt-oss-disagg-trtllmdecodeworker-0": MODEL})
    found = checks_of(smoke_stack("--json"))["model"]
    assert found["verdict"] == "wrong"
    assert found["found"] == f"{MODEL} is listed; pod {PREFILL} has registered as gpt-oss"
    assert found["fix"].startswith("--served-model-name of the workers")


def test_a_server_without_dynamo_registers_nowhere_and_is_said_not_to_answer() -> None:
    told: Any = Told(
        {"pods": [merged(pod("Frontend"), {"metadata": {"labels": {COMPONENT: "TrtllmServer"}}})]}
    )
    target = target_of_stack(shipped_stack("latency-b200"), told)
    report = ask(target, Frontend(lambda: "http://127.0.0.1:9", seconds=1), print, wait=0)
    [found] = [each for each in report.results if each.name == "frontend"]
    assert found.found.endswith("frontend-0: Ready, and it does not answer; its log says why")
    assert " logs gpt-oss-disagg-frontend-0 --namespace gpt-oss --tail=20`" in found.fix


def test_each_of_two_workers_that_share_a_pod_is_looked_for_in_it() -> None:
    serving = shipped_stack("disagg-b200-8gpu").serving
    name = "gpt-oss-disagg-8gpu-trtllmworker-0"
    status = {"conditions": [{"type": "Ready", "status": "False", "message": "unready: [prefill]"}]}
    shared = {
        "metadata": {"name": name, "labels": {"nvidia.com/dynamo-component": "TrtllmWorker"}},
        "spec": {"containers": [{"name": "main"}, {"name": "prefill"}]},
        "status": status,
    }
    registered = [
        {
            "metadata": {"name": each},
            "spec": {"data": {"model_cards": {"card": {"card_json": {"display_name": model}}}}},
        }
        for each, model in ((name, MODEL), (f"{name}-prefill", "gpt-oss"))
    ]
    cluster = Told({"pods": [shared], "dynamoworkermetadatas": registered})
    roles = {service.name: service.roles for service in serving.placed.services}
    pods = GraphPods(cluster, serving.namespace, serving.graph_name, roles)
    assert name in pods.why_absent(("prefill",)).found
    assert name in pods.why_absent(("decode",)).found
    assert "TrtllmWorker" not in pods.why_absent(("frontend",)).found
    assert pods.other_names(MODEL) == [f"pod {name} has registered as gpt-oss"]
