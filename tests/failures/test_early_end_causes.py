"""Which causes of a wait do not pass, and which may."""

from typing import Any

import pytest

from failures.early_end import causes, pods_of
from failures.explanation import Subject
from failures.failed_operation import explanation
from tests.failures.conftest import AnsweringCluster
from tests.failures.objects import CLUSTER, failed

GRAPH = Subject("DynamoGraphDeployment", "gpt-oss-disagg", "gpt-oss")
GOING = {"deletionTimestamp": "2026-11-22T10:00:00Z"}
MOUNT = {"volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": "model-cache"}}]}
# As kubelet 1.31 and later and containerd 2 word them.
ABSENT = (
    'Back-off pulling image "nvcr.io/a/b:9": ErrImagePull: rpc error: code = NotFound desc = failed to pull '
    'and unpack image "nvcr.io/a/b:9": failed to resolve reference "nvcr.io/a/b:9": nvcr.io/a/b:9: not found'
)


def _pulling(reason: str, message: str) -> dict[str, Any]:
    waiting = {"state": {"waiting": {"reason": reason, "message": message}}, "image": "nvcr.io/a/b:9"}
    return {
        "metadata": {"name": "decode-0"},
        "spec": {"nodeName": "tray-0"},
        "status": {"containerStatuses": [waiting]},
    }


def _causes() -> list[str]:
    return causes(CLUSTER, GRAPH, pods_of(CLUSTER, GRAPH))


@pytest.mark.parametrize(
    ("message", "passes"),
    [
        (ABSENT, False),
        ("no match for platform in manifest: not found", False),
        ("manifest unknown", False),
        ("failed to pull: 401 Unauthorized", True),
        ("429 Too Many Requests", True),
        ("dial tcp: lookup nvcr.io: i/o timeout", True),
        ('Back-off pulling image "nvcr.io/a/b:9"', True),
    ],
)
def test_only_an_image_that_the_registry_does_not_have_is_given_up(
    cluster: AnsweringCluster, message: str, passes: bool
) -> None:
    cluster.answers(pods=[_pulling("ImagePullBackOff", message)])
    found = _causes()
    assert (not found) is passes
    assert passes or "image nvcr.io/a/b:9 does not exist" in found[0]


def test_a_namespace_that_is_being_deleted_takes_nothing_and_says_what_it_waits_for(
    cluster: AnsweringCluster,
) -> None:
    remaining = {"type": "NamespaceContentRemaining", "status": "True", "message": "pods. has 3"}
    cluster.answers(Namespace={"metadata": GOING, "status": {"conditions": [remaining]}})
    assert _causes() == [
        "namespace gpt-oss is being deleted since 2026-11-22T10:00:00Z",
        "NamespaceContentRemaining: pods. has 3",
    ]
    refused = "unable to create new content in namespace gpt-oss because it is being terminated"
    said = explanation(CLUSTER, failed("Job", refused)) or ""
    assert "namespace gpt-oss is being deleted" in said
    assert "ended after" not in said
    assert "docs/runbook/deletion-hangs.md" in said


def test_a_namespace_that_is_gone_already_has_the_same_page(cluster: AnsweringCluster) -> None:
    cluster.answers()
    said = explanation(CLUSTER, failed("Job", 'namespaces "gpt-oss" not found')) or ""
    assert "namespace gpt-oss is gone" in said
    assert "ended after" not in said
    assert "docs/runbook/deletion-hangs.md" in said


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ({"metadata": {"name": "model-cache", **GOING}, "spec": {}}, "is being deleted since"),
        ({"spec": {"volumeName": "pv-1"}, "status": {"phase": "Lost"}}, "has lost its volume pv-1"),
    ],
)
def test_a_pod_that_waits_for_a_claim_that_is_going_or_lost_never_starts(
    cluster: AnsweringCluster, claim: dict[str, Any], words: str
) -> None:
    cluster.answers(
        pods=[{"metadata": {"name": "decode-0"}, "spec": MOUNT, "status": {}}], PersistentVolumeClaim=claim
    )
    [found] = _causes()
    assert found.startswith(f"claim model-cache: {words}")
    said = explanation(CLUSTER, failed("DynamoGraphDeployment")) or ""
    assert words in said
    assert "docs/runbook/cache-lost.md" in said


def test_a_pod_that_only_waits_for_room_may_still_start(cluster: AnsweringCluster) -> None:
    bound = {"spec": {"volumeName": "pv-1"}, "status": {"phase": "Bound"}}
    cluster.answers(
        pods=[{"metadata": {"name": "decode-0"}, "spec": MOUNT, "status": {}}], PersistentVolumeClaim=bound
    )
    assert _causes() == []
