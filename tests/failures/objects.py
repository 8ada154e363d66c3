"""Objects of a cluster, with as much in them as a diagnosis reads."""

from typing import Any

from components.cluster_reader import ClusterReader
from failures.failed_operation import FailedOperation, explanation

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


def failed(kind: str, error: str = TIMED_OUT, operation: str = "create") -> FailedOperation:
    """A failed operation on an object that the tests name as the stacks do."""
    names = {
        "Deployment": "gpu-nodes-ready-b200",
        "DynamoGraphDeployment": "gpt-oss-disagg",
        "Job": "model-download",
        "PersistentVolumeClaim": "model-cache",
        "StatefulSet": "dynamo-etcd",
    }
    inputs: dict[str, Any] = {"metadata": {"name": names.get(kind, "some"), "namespace": "gpt-oss"}}
    if kind == "Release":
        inputs = {"name": "dynamo-platform", "namespace": "dynamo-system"}
    if kind == "Namespace":
        inputs = {"metadata": {"name": "gpt-oss"}}
    return FailedOperation(operation, kind, inputs, error)


def said_of(operation: FailedOperation) -> str:
    """What a person reads of it; empty where the provider's own words stay."""
    return explanation(CLUSTER, operation) or ""
