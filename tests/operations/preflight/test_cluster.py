"""A cluster that exists, asked before `up`: what it lacks is said with what helps."""

from types import SimpleNamespace
from typing import Any

import pytest
import requests
import yaml

from lab.directory import REPOSITORY
from operations.document import Verdict
from operations.preflight.answer import Answer
from operations.preflight.cluster_checks import CHANNELS, DRIVER_LABEL, bound_claim, cluster_answers
from tests.cli.command import merged
from tests.operations.doctor.recorded_cluster import NODE, RecordedCluster
from tests.support.shipped_stacks import shipped_stack

FIXTURES = REPOSITORY / "lab" / "fixtures"
READY = {"type": "Ready", "status": "True"}
OPERATOR = "nvcr.io/nvidia/ai-dynamo/kubernetes-operator"


def _containers(*containers: dict[str, str]) -> dict[str, Any]:
    return {"spec": {"template": {"spec": {"containers": [*containers]}}}}


def _cluster() -> RecordedCluster:
    """The lab's nodes and classes, a network that enforces policies, and stack dev's operator."""
    found = RecordedCluster()
    nodes = list(yaml.safe_load_all((FIXTURES / "nodes.yaml").read_text()))
    for node in nodes:
        node["status"]["conditions"] = [READY]
        node["status"].setdefault("allocatable", node["status"]["capacity"])
    agent: dict[str, Any] = {
        "metadata": {"name": "aws-node", "namespace": "kube-system"},
        **_containers({"name": "aws-node"}, {"name": "aws-eks-nodeagent"}),
    }
    found.one("deployments", "operator")["spec"] |= _containers({"image": f"{OPERATOR}:1.2.1"})["spec"]
    found.listed |= {
        "nodes": nodes,
        "pods": [],
        "storageclasses": list(yaml.safe_load_all((FIXTURES / "storage_classes.yaml").read_text())),
        "daemonsets": [agent],
        "deviceclasses": [{"metadata": {"name": CHANNELS}}],
        "clusterpolicies": [{"metadata": {"name": "cluster-policy"}, "status": {"state": "ready"}}],
    }
    return found


@pytest.fixture(autouse=True)
def _no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> requests.Response:
        raise requests.ConnectionError

    monkeypatch.setattr(requests, "head", unreachable)


def _asked(cluster: Any) -> dict[str, Answer]:
    return {answer.question: answer for answer in cluster_answers(shipped_stack("dev"), cluster)}


def test_a_cluster_that_has_it_all_leaves_only_the_hub_open() -> None:
    found = _asked(_cluster())
    assert {each.verdict for question, each in found.items() if not question.startswith("hub")} == {
        Verdict.GOOD
    }
    [hub] = [each for question, each in found.items() if question.startswith("hub: openai/gpt-oss-120b at ")]
    assert hub.verdict is Verdict.UNKNOWN
    assert "the Job's pod must reach it" in hub.found
    assert found["storage class shared-files"].found.endswith(", Immediate")
    assert found["NetworkPolicy is enforced"].found == "by DaemonSet aws-node"


POOL, OFFERED = "pool b200", "pool b200: GPUs that the device plugin offers"


def _change(cluster: RecordedCluster, kind: str, name: str, changes: dict[str, Any]) -> None:
    found = cluster.one(kind, name)
    found.update(merged(found, changes))


@pytest.mark.parametrize(
    ("kind", "name", "changes", "question", "verdict", "found"),
    [
        pytest.param(
            "nodes",
            NODE,
            {"metadata": {"labels": {DRIVER_LABEL: "570"}}},
            f"{POOL}: NVIDIA driver",
            Verdict.WRONG,
            "570; the images' CUDA 13 needs 580",
            id="an old driver",
        ),
        pytest.param(
            "nodes",
            NODE,
            {"metadata": {"labels": {DRIVER_LABEL: None}}},
            f"{POOL}: NVIDIA driver",
            Verdict.UNKNOWN,
            "GPU feature discovery does not run",
            id="no feature discovery",
        ),
        pytest.param(
            "nodes",
            NODE,
            {"status": {"allocatable": {"nvidia.com/gpu": "4"}}},
            OFFERED,
            Verdict.WRONG,
            "offers 4 GPUs of 8",
            id="fewer GPUs than the node has",
        ),
        pytest.param(
            "nodes",
            NODE,
            {"status": {"allocatable": {"nvidia.com/gpu": "4"}}},
            f"{POOL}: free GPUs",
            Verdict.WRONG,
            "it does not fit until others end, or nodes join",
            id="fewer GPUs than the stack takes",
        ),
        pytest.param(
            "nodes",
            NODE,
            {"metadata": {"labels": {"nvidia.com/gpu.count": None}}},
            OFFERED,
            Verdict.GOOD,
            f"{NODE}: 8",
            id="no label that counts them",
        ),
        pytest.param(
            "clusterpolicies",
            "cluster-policy",
            {"status": {"state": "notReady"}},
            "GPU operator: ClusterPolicy cluster-policy",
            Verdict.WRONG,
            "one of its operands",
            id="an operand that is not ready",
        ),
        pytest.param(
            "storageclasses",
            "shared-files",
            {"metadata": {"name": "gp3"}},
            "storage class shared-files",
            Verdict.WRONG,
            "the cluster has gp3",
            id="another class",
        ),
        pytest.param(
            "daemonsets",
            "aws-node",
            _containers({"name": "aws-node"}, {"name": "another"}),
            "NetworkPolicy is enforced",
            Verdict.UNKNOWN,
            "policies may be ignored",
            id="no agent that enforces policies",
        ),
        pytest.param(
            "deployments",
            "operator",
            _containers({"image": f"{OPERATOR}:1.1.0"}),
            "Dynamo operator",
            Verdict.GOOD,
            "is of 1.1.0; `up` makes it 1.2.1",
            id="an older operator of the stack's own",
        ),
        pytest.param(
            "deployments",
            "operator",
            _containers({"image": f"{OPERATOR}:1.2.1@sha256:{'0' * 64}"}),
            "Dynamo operator",
            Verdict.GOOD,
            "is of 1.2.1",
            id="an operator that is pinned",
        ),
    ],
)
def test_what_is_missing_is_said(
    kind: str, name: str, changes: dict[str, Any], question: str, verdict: Verdict, found: str
) -> None:
    cluster = _cluster()
    _change(cluster, kind, name, changes)
    answer = _asked(cluster)[question]
    assert (answer.verdict, bool(answer.fix)) == (verdict, verdict is Verdict.WRONG)
    assert found in answer.found


def test_an_older_operator_of_somebody_else_is_wrong() -> None:
    cluster = _cluster()
    changes = {"metadata": {"namespace": "another-team"}, **_containers({"image": f"{OPERATOR}:1.1.0"})}
    _change(cluster, "deployments", "operator", changes)
    answer = _asked(cluster)["Dynamo operator"]
    assert answer.verdict is Verdict.WRONG
    assert "is of 1.1.0, and platform.version is 1.2.1" in answer.found


@pytest.mark.parametrize(
    ("status", "verdict"),
    [(200, Verdict.GOOD), (404, Verdict.WRONG), (429, Verdict.UNKNOWN), (503, Verdict.UNKNOWN)],
)
def test_a_hub_that_is_down_is_no_mistake_in_the_settings(
    status: int, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = requests.Response()
    answer.status_code = status
    monkeypatch.setattr(requests, "head", lambda *_, **__: answer)
    [hub] = [each for question, each in _asked(_cluster()).items() if question.startswith("hub")]
    assert hub.verdict is verdict


_EVENT = "Warning ProvisioningFailed no such file system"


class _Claims:
    """The person's own kubectl, which makes a claim, waits for it and deletes it."""

    def __init__(self, binds: str = "Immediate", **failing: str) -> None:
        self.said: list[str] = []
        self._failing = failing
        storage = {"metadata": {"name": "shared-files"}, "volumeBindingMode": binds}
        reader = RecordedCluster(listed={"storageclasses": [storage]})
        self.ask, self.command = reader.ask, reader.command

    def run(self, _program: str, verb: str, *_: str, **__: str) -> Any:
        self.said.append(verb)
        why = self._failing.get(verb, "")
        return SimpleNamespace(returncode=int(bool(why)), stdout=_EVENT, stderr=why)


def _bound(claims: Any) -> Answer:
    return bound_claim(shipped_stack("dev"), claims)


def test_a_claim_is_bound_and_deleted_whatever_became_of_it() -> None:
    claims = _Claims()
    assert _bound(claims).verdict is Verdict.GOOD
    assert claims.said == ["create", "wait", "delete"]
    claims = _Claims(wait="timed out")
    answer = _bound(claims)
    assert (answer.verdict, answer.found) == (Verdict.WRONG, _EVENT)
    assert claims.said == ["create", "wait", "events", "delete"]


def test_a_claim_that_could_not_be_deleted_is_not_called_deleted() -> None:
    answer = _bound(_Claims(delete="forbidden"))
    assert answer.verdict is Verdict.WRONG
    assert answer.found.endswith("was bound, and is left: forbidden")
    assert "delete pvc dynamo-stack-preflight-" in answer.fix


def test_a_class_that_waits_for_a_pod_is_not_tried() -> None:
    claims = _Claims(binds="WaitForFirstConsumer")
    assert _bound(claims).verdict is Verdict.UNKNOWN
    assert claims.said == []
