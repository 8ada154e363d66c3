"""A cluster that exists, asked before `up`: what it lacks is said with what helps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import requests
import yaml

from lab.directory import REPOSITORY
from operations.document import Verdict
from operations.preflight.cluster_checks import CHANNELS, DRIVER_LABEL, bound_claim, cluster_answers
from tests.operations.doctor.recorded_cluster import NODE, RecordedCluster
from tests.support.shipped_stacks import shipped_stack

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.cluster_reader import ClusterReader
    from operations.cluster_commands import ClusterCommands
    from operations.preflight.answer import Answer

FIXTURES = REPOSITORY / "lab" / "fixtures"
READY = {"type": "Ready", "status": "True"}


def _cluster() -> RecordedCluster:
    """The lab's nodes and classes, a network that enforces policies, and stack dev's operator."""
    found = RecordedCluster()
    nodes = list(yaml.safe_load_all((FIXTURES / "nodes.yaml").read_text()))
    for node in nodes:
        node["status"]["conditions"] = [READY]
        node["status"].setdefault("allocatable", node["status"]["capacity"])
    agent: dict[str, Any] = {
        "metadata": {"name": "aws-node", "namespace": "kube-system"},
        "spec": {"template": {"spec": {"containers": [{"name": "aws-node"}, {"name": "aws-eks-nodeagent"}]}}},
    }
    image = {"containers": [{"image": "nvcr.io/nvidia/ai-dynamo/kubernetes-operator:1.2.1"}]}
    found.one("deployments", "operator")["spec"]["template"] = {"spec": image}
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


def _asked(cluster: RecordedCluster, stack: str = "dev") -> dict[str, Answer]:
    found = cluster_answers(shipped_stack(stack), cast("ClusterReader", cluster))
    return {answer.question: answer for answer in found}


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


def _old_driver(cluster: RecordedCluster) -> None:
    cluster.one("nodes", NODE)["metadata"]["labels"][DRIVER_LABEL] = "570"


def _no_discovery(cluster: RecordedCluster) -> None:
    del cluster.one("nodes", NODE)["metadata"]["labels"][DRIVER_LABEL]


def _fewer_gpus(cluster: RecordedCluster) -> None:
    cluster.one("nodes", NODE)["status"]["allocatable"]["nvidia.com/gpu"] = "4"


def _operand(cluster: RecordedCluster) -> None:
    cluster.listed["clusterpolicies"][0]["status"]["state"] = "notReady"


def _other_class(cluster: RecordedCluster) -> None:
    cluster.listed["storageclasses"] = [{"metadata": {"name": "gp3"}, "provisioner": "ebs.csi.aws.com"}]


def _no_agent(cluster: RecordedCluster) -> None:
    cluster.listed["daemonsets"] = []


def _older_operator(cluster: RecordedCluster) -> None:
    [container] = cluster.one("deployments", "operator")["spec"]["template"]["spec"]["containers"]
    container["image"] = "nvcr.io/nvidia/ai-dynamo/kubernetes-operator:1.1.0"


def _other_operator(cluster: RecordedCluster) -> None:
    _older_operator(cluster)
    cluster.one("deployments", "operator")["metadata"]["namespace"] = "another-team"


def _pinned_operator(cluster: RecordedCluster) -> None:
    [container] = cluster.one("deployments", "operator")["spec"]["template"]["spec"]["containers"]
    container["image"] += f"@sha256:{'0' * 64}"


def _no_count(cluster: RecordedCluster) -> None:
    del cluster.one("nodes", NODE)["metadata"]["labels"]["nvidia.com/gpu.count"]


POOL = "pool b200"
LACKS: list[tuple[Callable[[RecordedCluster], None], str, Verdict, str]] = [
    (_old_driver, f"{POOL}: NVIDIA driver", Verdict.WRONG, "570; the images' CUDA 13 needs 580"),
    (_no_discovery, f"{POOL}: NVIDIA driver", Verdict.UNKNOWN, "GPU feature discovery does not run"),
    (_fewer_gpus, f"{POOL}: GPUs that the device plugin offers", Verdict.WRONG, "offers 4 GPUs of 8"),
    (_fewer_gpus, f"{POOL}: free GPUs", Verdict.WRONG, "it does not fit until others end, or nodes join"),
    (_operand, "GPU operator: ClusterPolicy cluster-policy", Verdict.WRONG, "one of its operands"),
    (_other_class, "storage class shared-files", Verdict.WRONG, "the cluster has gp3"),
    (_no_agent, "NetworkPolicy is enforced", Verdict.UNKNOWN, "policies may be ignored"),
    (_older_operator, "Dynamo operator", Verdict.GOOD, "is of 1.1.0; `up` makes it 1.2.1"),
    (_pinned_operator, "Dynamo operator", Verdict.GOOD, "is of 1.2.1"),
    (_no_count, f"{POOL}: GPUs that the device plugin offers", Verdict.GOOD, f"{NODE}: 8"),
    (_other_operator, "Dynamo operator", Verdict.WRONG, "is of 1.1.0, and platform.version is 1.2.1"),
]


@pytest.mark.parametrize(("breaks", "question", "verdict", "found"), LACKS)
def test_what_is_missing_is_said(
    breaks: Callable[[RecordedCluster], None], question: str, verdict: Verdict, found: str
) -> None:
    cluster = _cluster()
    breaks(cluster)
    answer = _asked(cluster)[question]
    assert (answer.verdict, bool(answer.fix)) == (verdict, verdict is Verdict.WRONG)
    assert found in answer.found


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
        self.reader = RecordedCluster(listed={"storageclasses": [storage]})

    def run(self, _program: str, verb: str, *_: str, **__: str) -> Any:
        self.said.append(verb)
        why = self._failing.get(verb, "")
        return SimpleNamespace(returncode=int(bool(why)), stdout=_EVENT, stderr=why)


def _bound(claims: _Claims) -> Answer:
    return bound_claim(shipped_stack("dev"), cast("ClusterCommands", claims))


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
