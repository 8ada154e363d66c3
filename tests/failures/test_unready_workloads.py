"""Every other wait of the program: what a person reads when it ends."""

from typing import Any

import pytest

from components.cluster_reader import ClusterReader
from failures.failed_operation import EXPLAINED_KINDS, explanation, kind_of, seconds_of
from tests.failures.conftest import AnsweringCluster
from tests.failures.objects import CLUSTER, PENDING, UNSCHEDULABLE, failed, pod

POLLED = "Timeout occurred polling for 'model-cache'"
WAITING_CLAIM = {"spec": {"storageClassName": "fast"}, "status": {"phase": "Pending"}}
REFUSAL = {"type": "Warning", "reason": "ProvisioningFailed", "message": "ReadWriteMany is not supported"}
MOUNT = {"volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": "model-cache"}}]}


def _explained(kind: str, error: str, operation: str = "create", **more: Any) -> str:
    return explanation(CLUSTER, failed(kind, error, operation, **more)) or ""


def test_a_claim_without_a_volume_quotes_its_provisioner_and_names_the_classes_there_are(
    cluster: AnsweringCluster,
) -> None:
    cluster.answers(
        PersistentVolumeClaim=WAITING_CLAIM, events=[REFUSAL], storageclasses=[{"metadata": {"name": "gp3"}}]
    )
    said = _explained("PersistentVolumeClaim", POLLED)
    assert "The wait for claim model-cache ended after 5 min." in said
    assert "claim model-cache: ProvisioningFailed: ReadWriteMany is not supported" in said
    assert "there is no storage class fast; the cluster has gp3" in said
    assert "docs/runbook/cache-volume-unbound.md" in said


def test_a_claim_that_names_no_class_where_there_is_no_default_says_so(cluster: AnsweringCluster) -> None:
    cluster.answers(PersistentVolumeClaim={"spec": {}, "status": {"phase": "Pending"}})
    assert "names no storage class, and the cluster has no default one" in _explained(
        "PersistentVolumeClaim", POLLED
    )


def test_a_claim_of_a_file_system_says_why_its_volume_is_not_its_own(cluster: AnsweringCluster) -> None:
    owner = {"claimRef": {"namespace": "gpt-oss", "name": "model-cache"}}
    cluster.answers(
        PersistentVolumeClaim={
            "spec": {"storageClassName": "", "volumeName": "files"},
            "status": {"phase": "Pending"},
        },
        PersistentVolume={"spec": owner, "status": {"phase": "Released"}},
    )
    said = _explained("PersistentVolumeClaim", POLLED)
    assert "its volume files belongs to a claim gpt-oss/model-cache that is gone" in said
    assert "`kubectl delete pv files` and `pulumi refresh`: the files stay" in said
    cluster.answers(PersistentVolume=[])
    assert "its volume files is not there" in _explained("PersistentVolumeClaim", POLLED)


def test_copies_that_some_node_does_not_get_show_what_its_container_said(cluster: AnsweringCluster) -> None:
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off restarting failed container"}
    cluster.answers(
        pods=[
            pod("model-cache-x", initContainerStatuses=[{"name": "download", "state": {"waiting": waiting}}])
        ]
    )
    said = _explained("DaemonSet", "timed out waiting for the condition")
    assert "every GPU node has a copy of the model" in said
    assert "model-cache-x: download waiting, CrashLoopBackOff back-off restarting" in said
    assert "docs/runbook/download-failed.md" in said


def test_a_download_that_failed_for_good_shows_the_containers_last_words(cluster: AnsweringCluster) -> None:
    terminated = {"reason": "Error", "message": "401 Client Error: Repository Not Found"}
    cluster.answers(
        Job={
            "status": {"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]}
        },
        pods=[
            pod(
                "download-x",
                phase="Failed",
                containerStatuses=[{"name": "download", "state": {"terminated": terminated}}],
            )
        ],
    )
    said = _explained("Job", "[BackoffLimitExceeded] Job has reached the specified backoff limit")
    assert "it failed for good: BackoffLimitExceeded" in said
    assert "download terminated, Error 401 Client Error: Repository Not Found" in said
    assert "run `pulumi up` again: it replaces the Job" in said
    assert "kubectl --context somewhere logs --namespace gpt-oss" in said


def test_a_download_whose_volume_is_missing_leads_to_the_volume(cluster: AnsweringCluster) -> None:
    cluster.answers(
        Job={"status": {}},
        pods=[pod("download-x", MOUNT, phase="Pending")],
        PersistentVolumeClaim=WAITING_CLAIM,
        events=[REFUSAL],
        storageclasses=[{"metadata": {"name": "fast"}}],
    )
    said = _explained("Job", "'model-download' timed out waiting to be Ready")
    assert "ReadWriteMany is not supported" in said
    assert "docs/runbook/cache-volume-unbound.md" in said


def test_servers_that_do_not_fit_show_the_schedulers_words(cluster: AnsweringCluster) -> None:
    cluster.answers(pods=[PENDING], nodes=[])
    said = _explained("StatefulSet", "'dynamo-etcd' timed out waiting to be Ready", waited_seconds=600)
    assert "The wait for servers dynamo-etcd ended after 10 min." in said
    assert UNSCHEDULABLE in said
    assert "docs/runbook/etcd-member-lost.md" in said


def test_a_platform_that_does_not_install_names_its_pods(cluster: AnsweringCluster) -> None:
    cluster.answers(pods=[PENDING])
    said = _explained("Release", "Helm release x failed to initialize completely: context deadline exceeded")
    assert "Helm release dynamo-platform" in said
    assert UNSCHEDULABLE in said


@pytest.mark.parametrize(
    ("kind", "resource", "finalizer", "holder"),
    [
        ("DynamoGraphDeployment", "dynamographdeployments.nvidia.com", "nvidia.com/finalizer", "operator"),
        (
            "ComputeDomain",
            "computedomains.resource.nvidia.com",
            "resource.nvidia.com/computeDomain",
            "DRA driver",
        ),
        ("PersistentVolumeClaim", "persistentvolumeclaims", "kubernetes.io/pvc-protection", "no pod mounts"),
    ],
)
def test_what_does_not_go_names_its_finalizer_and_who_removes_it(
    cluster: AnsweringCluster, kind: str, resource: str, finalizer: str, holder: str
) -> None:
    cluster.answers(**{resource: {"metadata": {"deletionTimestamp": "now", "finalizers": [finalizer]}}})
    said = _explained(kind, "timed out waiting for the condition", "delete", waited_seconds=600)
    assert f"finalizer {finalizer}, removed by" in said
    assert holder in said


def test_a_namespace_that_does_not_go_quotes_what_remains_in_it(cluster: AnsweringCluster) -> None:
    remaining = "Some content in the namespace has finalizers remaining: nvidia.com/finalizer in 1 resource"
    condition = {"type": "NamespaceFinalizersRemaining", "status": "True", "message": remaining}
    cluster.answers(
        namespaces={"metadata": {"deletionTimestamp": "now"}, "status": {"conditions": [condition]}}
    )
    assert remaining in _explained("Namespace", "timed out waiting for the condition", "delete")


def test_an_api_server_that_went_away_is_waited_out(cluster: AnsweringCluster) -> None:
    said = _explained("Job", 'Get "https://127.0.0.1:6443/…": dial tcp: connection refused')
    assert "the API server did not answer; what was made so far is recorded" in said
    assert "run `pulumi up` again" in said
    assert cluster.asked() == []


@pytest.mark.parametrize("kind", sorted(EXPLAINED_KINDS - {"Namespace", "ComputeDomain"}))
def test_every_wait_for_readiness_says_what_it_waits_for_and_what_to_type(
    cluster: AnsweringCluster, kind: str
) -> None:
    said = _explained(kind, "timed out waiting for the condition", waited_seconds=90)
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


def test_a_kind_is_read_from_the_type_and_a_limit_from_the_programs_own_form() -> None:
    assert kind_of("kubernetes:apps/v1:StatefulSet") == "StatefulSet"
    assert kind_of("dynamo-stack:components:Namespace") == ""
    assert [seconds_of(limit) for limit in ("600s", "10m", None)] == [600, None, None]
