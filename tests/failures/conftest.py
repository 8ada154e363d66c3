from pathlib import Path
from typing import Any

import pulumi
import pytest

from components.cluster_answer import KINDS
from components.cluster_reader import ClusterReader
from failures.failed_operation import explanation
from tests.operations.fake_cluster import FakeCluster


class AnsweringCluster(FakeCluster):
    """Answers for the kinds that a test has put down; of any other it does not say."""

    def answers(self, **kinds: Any) -> None:
        """Put down the answers by kind or plural: a list for a listing, a mapping for one object."""
        for name, answer in kinds.items():
            kind = KINDS.get(name)
            plural = kind.plural if kind else name.partition(".")[0]
            self.objects[plural] = answer if isinstance(answer, list) else [answer]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnsweringCluster:
    return AnsweringCluster(tmp_path).answer_in(monkeypatch)


CLUSTER = ClusterReader("somewhere")
TIMED_OUT = "timed out waiting for the condition"
UNSCHEDULABLE = "0/5 nodes are available: 1 Insufficient nvidia.com/gpu, 4 node(s) didn't match."


def pod(name: str, spec: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    """A pod with this status."""
    return {"metadata": {"name": name}, "spec": spec or {}, "status": status}


PENDING = pod(
    "decode",
    phase="Pending",
    conditions=[
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": UNSCHEDULABLE}
    ],
)
READY = pod("prefill", phase="Running", conditions=[{"type": "Ready", "status": "True"}])


def failed(kind: str, error: str = TIMED_OUT, operation: str = "create") -> pulumi.ErrorHookArgs:
    """A failed operation on an object that the tests name as the stacks do."""
    names = {
        "Deployment": "gpu-nodes-ready-b200",
        "DynamoGraphDeployment": "gpt-oss-disagg",
        "Job": "model-download",
        "PersistentVolumeClaim": "model-cache",
        "StatefulSet": "dynamo-etcd",
    }
    others: dict[str, Any] = {
        "Release": {"name": "dynamo-platform", "namespace": "dynamo-system"},
        "Namespace": {"metadata": {"name": "gpt-oss"}},
    }
    inputs = {"metadata": {"name": names.get(kind, "some"), "namespace": "gpt-oss"}}
    return failure(kind, others.get(kind, inputs), error, operation)


def failure(kind: str, inputs: dict[str, Any], error: str, operation: str = "create") -> pulumi.ErrorHookArgs:
    """What the engine tells of a failed operation."""
    token = f"kubernetes:group/v1:{kind}"
    return pulumi.ErrorHookArgs("", "", "", token, inputs, inputs, None, operation, [error])


def said_of(operation: pulumi.ErrorHookArgs, stack: str = "STACK") -> str:
    """What a person reads of it; empty where the provider's own words stay."""
    return explanation(CLUSTER, operation, stack) or ""
