"""Every other wait of the program: what a person reads when it ends."""

from typing import Any

import pytest

from components.cluster_reader import ClusterReader
from failures.failed_operation import EXPLAINED_KINDS, explanation
from tests.failures.conftest import (
    PENDING,
    TIMED_OUT,
    UNSCHEDULABLE,
    AnsweringCluster,
    failed,
    failure,
    pod,
    said_of,
)

POLLED = "Timeout occurred polling for 'model-cache'"
WAITING_CLAIM = {"spec": {"storageClassName": "fast"}, "status": {"phase": "Pending"}}
CLAIM_OF_FILES = {"spec": {"storageClassName": "", "volumeName": "files"}, "status": {"phase": "Pending"}}
OWNER = {"claimRef": {"namespace": "gpt-oss", "name": "model-cache"}}
REFUSAL = {"type": "Warning", "reason": "ProvisioningFailed", "message": "ReadWriteMany is not supported"}
MOUNT = {"volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": "model-cache"}}]}
CRASHING = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off restarting failed container"}}
NOT_FOUND = {"terminated": {"reason": "Error", "message": "401 Client Error: Repository Not Found"}}
FAILED_JOB = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}


@pytest.mark.parametrize(
    ("kind", "error", "answers", "said"),
    [
        pytest.param(
            "PersistentVolumeClaim",
            POLLED,
            {
                "PersistentVolumeClaim": WAITING_CLAIM,
                "events": [REFUSAL],
                "storageclasses": [{"metadata": {"name": "gp3"}}],
            },
            (
                "The wait for claim model-cache ended.",
                "claim model-cache: ProvisioningFailed: ReadWriteMany is not supported",
                "there is no storage class fast; the cluster has gp3",
                "docs/runbook/cache-volume-unbound.md",
            ),
            id="a claim without a volume quotes its provisioner and names the classes there are",
        ),
        pytest.param(
            "PersistentVolumeClaim",
            POLLED,
            {"PersistentVolumeClaim": {"spec": {}, "status": {"phase": "Pending"}}},
            ("names no storage class, and the cluster has no default one",),
            id="a claim that names no class where there is no default",
        ),
        pytest.param(
            "PersistentVolumeClaim",
            POLLED,
            {
                "PersistentVolumeClaim": CLAIM_OF_FILES,
                "PersistentVolume": {"spec": OWNER, "status": {"phase": "Released"}},
            },
            (
                "its volume files belongs to a claim gpt-oss/model-cache that is gone",
                "`kubectl delete pv files` and `pulumi refresh`: the files stay",
            ),
            id="a claim of a file system whose volume is another's",
        ),
        pytest.param(
            "PersistentVolumeClaim",
            POLLED,
            {"PersistentVolumeClaim": CLAIM_OF_FILES, "PersistentVolume": []},
            ("its volume files is not there",),
            id="a claim of a file system without its volume",
        ),
        pytest.param(
            "DaemonSet",
            TIMED_OUT,
            {"pods": [pod("cache-x", initContainerStatuses=[{"name": "download", "state": CRASHING}])]},
            (
                "every GPU node has a copy of the model",
                "cache-x: download waiting, CrashLoopBackOff back-off restarting",
                "docs/runbook/download-failed.md",
            ),
            id="copies that some node does not get",
        ),
        pytest.param(
            "Job",
            "[BackoffLimitExceeded] Job has reached the specified backoff limit",
            {
                "Job": {"status": {"conditions": [FAILED_JOB]}},
                "pods": [
                    pod(
                        "download-x",
                        phase="Failed",
                        containerStatuses=[{"name": "download", "state": NOT_FOUND}],
                    )
                ],
            },
            (
                "it failed for good: BackoffLimitExceeded",
                "download terminated, Error 401 Client Error: Repository Not Found",
                "run `pulumi up` again: it replaces the Job",
                "kubectl --context somewhere logs --namespace gpt-oss",
            ),
            id="a download that failed for good shows the container's last words",
        ),
        pytest.param(
            "Job",
            "'model-download' timed out waiting to be Ready",
            {
                "Job": {"status": {}},
                "pods": [pod("download-x", MOUNT, phase="Pending")],
                "PersistentVolumeClaim": WAITING_CLAIM,
                "events": [REFUSAL],
                "storageclasses": [{"metadata": {"name": "fast"}}],
            },
            ("ReadWriteMany is not supported", "docs/runbook/cache-volume-unbound.md"),
            id="a download whose volume is missing leads to the volume",
        ),
        pytest.param(
            "StatefulSet",
            "'dynamo-etcd' timed out waiting to be Ready",
            {"pods": [PENDING], "nodes": []},
            (
                "The wait for servers dynamo-etcd ended.",
                UNSCHEDULABLE,
                "docs/runbook/etcd-member-lost.md",
            ),
            id="servers that do not fit show the scheduler's words",
        ),
        pytest.param(
            "StatefulSet",
            TIMED_OUT,
            {"pods": [pod("dynamo-etcd-0", {"nodeName": "system-0"}, phase="Running")]},
            ("dynamo-etcd-0: Running, started but not ready", "docs/runbook/etcd-member-lost.md"),
            id="a node that the account may not read is not called gone",
        ),
        pytest.param(
            "Release",
            "Helm release x failed to initialize completely: context deadline exceeded",
            {"pods": [PENDING]},
            ("Helm release dynamo-platform", UNSCHEDULABLE),
            id="a platform that does not install names its pods",
        ),
    ],
)
def test_what_did_not_become_ready_is_explained_in_the_clusters_words(
    cluster: AnsweringCluster, kind: str, error: str, answers: dict[str, Any], said: tuple[str, ...]
) -> None:
    cluster.answers(**answers)
    text = said_of(failed(kind, error))
    assert [part for part in said if part not in text] == []


SELECTOR = {"eks.amazonaws.com/nodegroup": "gpt-oss-b200", "nvidia.com/gpu.count": "8"}
DEPLOYMENT = {"spec": {"replicas": 2, "template": {"spec": {"nodeSelector": SELECTOR}}}}
BOUGHT = {"metadata": {"annotations": {"dynamo-stack/bought": "cr-0123456789abcdef0"}}}


def _node(name: str, shown: str | None, offered: str | None, **ready: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.count": shown} if shown else {}},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"} | ready],
            "allocatable": {"nvidia.com/gpu": offered} if offered else {},
        },
    }


ONE = _node("one", "8", "8")


@pytest.mark.parametrize(
    ("template", "nodes", "said"),
    [
        pytest.param(
            {},
            [ONE],
            (
                "The wait for the nodes of pool b200 ended.",
                "It waits until every node of the pool is Ready and shows its 8 GPUs.",
                "1 of 2 nodes of node group gpt-oss-b200 have joined",
                "kubectl --context somewhere get nodes --selector eks.amazonaws.com/nodegroup=gpt-oss-b200",
                "docs/runbook/gpu-nodes-not-joining.md",
            ),
            id="a node that never joined",
        ),
        pytest.param(
            BOUGHT,
            [],
            (
                "0 of 2 nodes of node group gpt-oss-b200 have joined",
                "nothing starts in cr-0123456789abcdef0 before its window opens",
                "`dynamo-stack preflight` says which phase is due",
            ),
            id="a Capacity Block whose window has not opened",
        ),
        pytest.param(
            {},
            [ONE, _node("two", None, None)],
            ("node two: Ready, but GPU feature discovery sees no and the device plugin offers no GPUs of 8",),
            id="no GPUs at all",
        ),
        pytest.param(
            {},
            [ONE, _node("two", "8", None)],
            ("node two: Ready, but GPU feature discovery sees 8 and the device plugin offers no GPUs of 8",),
            id="no device plugin",
        ),
        pytest.param(
            {},
            [ONE, _node("two", None, None, status="False", message="container runtime network not ready")],
            ("node two: not Ready, container runtime network not ready",),
            id="a node that is not ready",
        ),
        pytest.param(
            {}, [ONE, _node("two", "8", "8")], (f"decode: Pending, {UNSCHEDULABLE}",), id="all nodes are well"
        ),
        pytest.param({}, None, ("shows its GPUs.",), id="no answer of the cluster"),
    ],
)
def test_gpu_nodes_that_do_not_come_say_what_is_missing(
    cluster: AnsweringCluster, template: dict[str, Any], nodes: list[Any] | None, said: tuple[str, ...]
) -> None:
    if nodes is not None:
        spec = DEPLOYMENT["spec"] | {"template": DEPLOYMENT["spec"]["template"] | template}
        cluster.answers(Deployment={"spec": spec}, nodes=nodes, pods=[PENDING])
    error = "'gpu-nodes-ready-b200' timed out waiting to be Ready"
    text = said_of(failed("Deployment", error))
    assert [part for part in said if part not in text] == []
    assert "node one" not in text


def test_a_server_that_is_not_available_is_explained_by_its_pods(cluster: AnsweringCluster) -> None:
    cluster.answers(pods=[PENDING], nodes=[])
    server = {"metadata": {"name": "gpt-oss-low-latency", "namespace": "gpt-oss"}}
    said = said_of(failure("Deployment", server, "'server' timed out waiting to be Ready"))
    assert "The wait for server gpt-oss-low-latency ended." in said
    assert f"decode: Pending, {UNSCHEDULABLE}" in said
    assert "--selector nvidia.com/dynamo-graph-deployment-name=gpt-oss-low-latency" in said
    assert "docs/runbook/graph-never-ready.md" in said


def test_an_api_server_that_went_away_is_waited_out(cluster: AnsweringCluster) -> None:
    said = said_of(failed("Job", 'Get "https://127.0.0.1:6443/…": dial tcp: connection refused'))
    assert "the API server did not answer; what was made so far is recorded" in said
    assert "run `pulumi up` again" in said
    assert cluster.asked() == []


@pytest.mark.parametrize("kind", sorted(EXPLAINED_KINDS - {"Namespace", "ComputeDomain"}))
def test_every_wait_for_readiness_says_what_it_waits_for_and_what_to_type(
    cluster: AnsweringCluster, kind: str
) -> None:
    assert cluster
    said = said_of(failed(kind))
    for part in ("The wait for ", "It waits until ", "See: kubectl ", "What to do: ", "docs/runbook/"):
        assert part in said


def test_the_stacks_own_kubeconfig_is_read_and_typed(cluster: AnsweringCluster) -> None:
    cluster.answers(pods=[])
    own = ClusterReader("somewhere", "/home/me/my clusters")
    said = explanation(own, failed("DynamoGraphDeployment")) or ""
    assert "kubectl --kubeconfig '/home/me/my clusters' --context somewhere get pods" in said
    asked = cluster.asked()
    assert all(line.startswith("/home/me/my clusters ") for line in asked)
    assert any(" pods " in line for line in asked)
