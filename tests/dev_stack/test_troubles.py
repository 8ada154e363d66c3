"""A cluster without room while the stack comes up, and a platform whose operator is away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.stored_graphs import STORED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.lab_stack import LabStack

pytestmark = [pytest.mark.lab, pytest.mark.slow]

GRAPHS = "dynamographdeployments.nvidia.com"
OPERATOR_POD = "app.kubernetes.io/component=manager"
GPU_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
OCCUPIER = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "somebody-else", "namespace": "default"},
    "spec": {
        "nodeSelector": {"kubernetes.io/hostname": "p6-b200-0"},
        "tolerations": [GPU_TOLERATION],
        "containers": [
            {"name": "main", "image": "example.com/other:1", "resources": {"limits": {"nvidia.com/gpu": "5"}}}
        ],
    },
}


@pytest.fixture
def occupied(stack: LabStack, tmp_path: Path) -> Iterator[None]:
    """Five of the only B200 node's eight GPUs belong to somebody else: prefill fits, decode does not."""
    file = tmp_path / "pod.json"
    file.write_text(json.dumps(OCCUPIER))
    stack.lab.kubectl("apply", "-f", str(file))
    stack.lab.kubectl("wait", "--for=condition=Ready", "pod/somebody-else", "--timeout=30s")
    yield
    stack.lab.kubectl("delete", "pod", "somebody-else", "--ignore-not-found", "--timeout=30s")


def _set_ready_timeout(stack: LabStack, seconds: int | None) -> None:
    content = stack.settings()
    content["config"]["dynamo-stack:settings"]["serving"]["readyTimeoutSeconds"] = seconds
    if seconds is None:
        del content["config"]["dynamo-stack:settings"]["serving"]["readyTimeoutSeconds"]
    stack.write_settings(content)


def test_a_decode_worker_stays_pending_on_a_full_node_and_the_wait_says_why(
    stack: LabStack, occupied: None
) -> None:
    _set_ready_timeout(stack, 15)
    failed = stack.up(check=False)
    said = failed.stdout + failed.stderr
    assert failed.returncode != 0
    assert "gpt-oss-disagg-trtllmdecodeworker" in said, said
    assert "Insufficient nvidia.com/gpu" in said, said
    assert "Traceback" not in said


def test_the_same_up_finishes_once_the_gpus_are_free(stack: LabStack) -> None:
    _set_ready_timeout(stack, None)
    stack.up()
    graph = stack.lab.get(GRAPHS, "gpt-oss-disagg", "-n", "gpt-oss")
    assert graph["status"]["state"] == "successful"


def test_a_graph_without_its_operator_is_refused_by_the_api_server(stack: LabStack, tmp_path: Path) -> None:
    operator = "deployment/dynamo-platform-dynamo-operator-controller-manager"
    # In v1beta1 the conversion would refuse it, before any rule is asked.
    graph = stack.lab.get(STORED, "gpt-oss-disagg", "-n", "gpt-oss")
    copy = {
        "apiVersion": graph["apiVersion"],
        "kind": graph["kind"],
        "metadata": {"name": "orphan", "namespace": "default"},
        "spec": graph["spec"],
    }
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(copy))
    stack.lab.kubectl("scale", operator, "-n", "dynamo-system", "--replicas=0")
    # Every attempt is its own answer of the API server; the operator's last moments may let one through.
    refused = stack.lab.kubectl(
        "wait", "--for=delete", "pod", "-n", "dynamo-system", "-l", OPERATOR_POD, "--timeout=30s"
    )
    assert refused.returncode == 0
    answer = stack.lab.kubectl("create", "-f", str(file), check=False)
    stack.lab.kubectl("scale", operator, "-n", "dynamo-system", "--replicas=1")
    stack.lab.kubectl("rollout", "status", operator, "-n", "dynamo-system", "--timeout=30s")
    assert answer.returncode != 0
    assert "failed calling webhook" in answer.stderr
    assert "connection refused" in answer.stderr
