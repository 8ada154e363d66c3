"""What a person reads when GPU nodes do not come, or come without their GPUs."""

from dataclasses import replace
from typing import Any

import pytest

from failures.failed_operation import explanation
from tests.failures.conftest import AnsweringCluster
from tests.failures.objects import CLUSTER, PENDING, UNSCHEDULABLE, failed, pod

TIMED_OUT = "'gpu-nodes-ready-b200' timed out waiting to be Ready"
SELECTOR = {"eks.amazonaws.com/nodegroup": "gpt-oss-b200", "nvidia.com/gpu.count": "8"}
SERVER = {"metadata": {"name": "gpt-oss-low-latency", "namespace": "gpt-oss"}}
DEPLOYMENT = {"spec": {"replicas": 2, "template": {"spec": {"nodeSelector": SELECTOR}}}}


def node(name: str, shown: str | None, offered: str | None, **ready: str) -> dict[str, Any]:
    condition = {"type": "Ready", "status": "True"} | ready
    return {
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.count": shown} if shown else {}},
        "status": {
            "conditions": [condition],
            "allocatable": {"nvidia.com/gpu": offered} if offered else {},
        },
    }


def explained() -> str:
    return explanation(CLUSTER, failed("Deployment", TIMED_OUT, waited_seconds=1200)) or ""


def test_nodes_that_never_joined_are_counted(cluster: AnsweringCluster) -> None:
    cluster.answers(Deployment=DEPLOYMENT, nodes=[node("one", "8", "8")], pods=[])
    said = explained()
    assert "The wait for the nodes of pool b200 ended after 20 min." in said
    assert "It waits until every node of the pool is Ready and shows its 8 GPUs." in said
    assert "1 of 2 nodes of node group gpt-oss-b200 have joined" in said
    assert "kubectl --context somewhere get nodes --selector eks.amazonaws.com/nodegroup=gpt-oss-b200" in said
    assert "docs/runbook/gpu-nodes-not-joining.md" in said


def test_a_capacity_block_whose_window_has_not_opened_is_thought_of(cluster: AnsweringCluster) -> None:
    bought = {"dynamo-stack/bought": "cr-0123456789abcdef0"}
    template = {"metadata": {"annotations": bought}, "spec": {"nodeSelector": SELECTOR}}
    cluster.answers(Deployment={"spec": {"replicas": 2, "template": template}}, nodes=[], pods=[])
    said = explained()
    assert "0 of 2 nodes of node group gpt-oss-b200 have joined" in said
    assert "nothing starts in cr-0123456789abcdef0 before its window opens" in said
    assert "`dynamo-stack preflight` says which phase is due" in said


@pytest.mark.parametrize(
    ("shown", "offered", "says"),
    [
        (None, None, "GPU feature discovery sees no and the device plugin offers no GPUs of 8"),
        ("7", "7", "GPU feature discovery sees 7 and the device plugin offers 7 GPUs of 8"),
        ("8", None, "GPU feature discovery sees 8 and the device plugin offers no GPUs of 8"),
    ],
)
def test_a_node_without_its_gpus_says_who_does_not_see_them(
    cluster: AnsweringCluster, shown: str | None, offered: str | None, says: str
) -> None:
    nodes = [node("one", "8", "8"), node("two", shown, offered)]
    cluster.answers(Deployment=DEPLOYMENT, nodes=nodes, pods=[])
    said = explained()
    assert f"node two: Ready, but {says}" in said
    assert "node one" not in said


def test_a_node_that_is_not_ready_says_what_its_kubelet_said(cluster: AnsweringCluster) -> None:
    silent = node("two", None, None, status="False", message="container runtime network not ready")
    cluster.answers(Deployment=DEPLOYMENT, nodes=[node("one", "8", "8"), silent], pods=[])
    assert "node two: not Ready, container runtime network not ready" in explained()


def test_where_all_nodes_are_well_the_scheduler_says_why_a_pod_has_none(cluster: AnsweringCluster) -> None:
    unscheduled = {"type": "PodScheduled", "status": "False", "message": UNSCHEDULABLE}
    waiting = pod("idle", phase="Pending", conditions=[unscheduled])
    cluster.answers(
        Deployment=DEPLOYMENT, nodes=[node("one", "8", "8"), node("two", "8", "8")], pods=[waiting]
    )
    assert f"idle: Pending, {UNSCHEDULABLE}" in explained()


def test_a_cluster_that_nobody_can_ask_has_no_reasons(cluster: AnsweringCluster) -> None:
    assert "shows its GPUs." in explained()
    assert cluster.asked()


def test_a_server_that_is_not_available_is_explained_by_its_pods(cluster: AnsweringCluster) -> None:
    cluster.answers(
        pods=[pod("server", phase="Pending", conditions=PENDING["status"]["conditions"])], nodes=[]
    )
    operation = failed("Deployment", TIMED_OUT, waited_seconds=3660)
    said = explanation(CLUSTER, replace(operation, inputs=SERVER)) or ""
    assert "The wait for server gpt-oss-low-latency ended after 61 min." in said
    assert f"server: Pending, {UNSCHEDULABLE}" in said
    assert "--selector nvidia.com/dynamo-graph-deployment-name=gpt-oss-low-latency" in said
    assert "docs/runbook/graph-never-ready.md" in said
