"""What is left of graphs while no operator runs: reads, deletions, namespaces. Pods are simulated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.lab.dynamo_operator.built import read
from tests.lab.dynamo_operator.clusters import GRAPHS, install, scale, uninstall, until, until_answered
from tests.lab.fixtures.graphs import toy_graph, worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lab.dynamo_operator.clusters import Cluster

pytestmark = pytest.mark.lab

V1ALPHA1 = "dynamographdeployments.v1alpha1.nvidia.com"
V1BETA1 = "dynamographdeployments.v1beta1.nvidia.com"
NO_FINALIZERS = '{"metadata": {"finalizers": null}}'
# From the stored version for a read, to it for a write.
REFUSED = re.compile(
    r"conversion webhook for nvidia.com/v1(alpha1|beta1), Kind=DynamoGraphDeployment failed: Post"
)


@pytest.fixture
def left_alone(cluster: Cluster) -> Iterator[Cluster]:
    """A graph that is Ready, and no operator; it is back when the test is over."""
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    scale(cluster.lab, 0)
    changed = toy_graph(Prefill=worker("prefill", "1", replicas=2))
    until_answered(
        "a refusal", lambda: "connect: connection refused" in cluster.apply(changed, check=False).stderr
    )
    yield cluster
    scale(cluster.lab, 1)


def said(cluster: Cluster, verb: str, kind: str, *flags: str) -> str:
    """What kubectl prints; "" where it succeeds."""
    answer = cluster.lab.kubectl(verb, kind, "toy", "--namespace", GRAPHS, *flags, check=False)
    return "" if answer.returncode == 0 else answer.stderr


def test_the_stored_version_alone_is_read_for_long_and_nobody_changes_a_graph(left_alone: Cluster) -> None:
    for change in (NO_FINALIZERS, '{"metadata": {"annotations": {"a": "b"}}}'):
        assert "failed calling webhook" in said(left_alone, "patch", V1ALPHA1, "--type=merge", "-p", change)
    assert REFUSED.search(said(left_alone, "patch", V1BETA1, "--type=merge", "-p", NO_FINALIZERS))
    # kubectl's own choice is v1beta1.
    for kind in (V1BETA1, "dgd"):
        assert REFUSED.search(said(left_alone, "delete", kind, "--wait=false"))
    assert said(left_alone, "get", V1ALPHA1) == ""


def test_a_deleted_graph_keeps_finalizer_and_pods_until_the_operator_is_back(left_alone: Cluster) -> None:
    assert said(left_alone, "delete", V1ALPHA1, "--wait=false") == ""
    gone = ("--for=delete", f"{V1ALPHA1}/toy", "--namespace", GRAPHS)
    assert left_alone.lab.kubectl("wait", *gone, "--timeout=3s", check=False).returncode != 0
    graph = left_alone.lab.get(V1ALPHA1, "toy", "--namespace", GRAPHS)
    assert graph["metadata"]["finalizers"] == ["nvidia.com/finalizer"]
    assert len(left_alone.names("pods")) == 3
    scale(left_alone.lab, 1)
    left_alone.lab.kubectl("wait", *gone, "--timeout=30s")
    until(left_alone.lab, "no pod left", lambda: left_alone.names("pods") == [])


def test_a_namespace_with_component_deployments_hangs_until_the_operator_is_back(cluster: Cluster) -> None:
    lab, namespace = cluster.lab, "to-be-deleted"
    lab.kubectl("create", "namespace", namespace)
    cluster.apply(toy_graph(), namespace=namespace)
    lab.kubectl("wait", "--for=condition=Ready", "dgd/toy", "--namespace", namespace, "--timeout=30s")
    scale(lab, 0)
    lab.kubectl("delete", "namespace", namespace, "--wait=false")

    def told() -> str:
        conditions = lab.get("namespace", namespace)["status"].get("conditions", [])
        return " ".join(each["message"] for each in conditions)

    until(lab, "the reason", lambda: "conversion webhook for nvidia.com/v1" in told())
    until(lab, "no pod left", lambda: lab.get("pods", "--namespace", namespace)["items"] == [])
    scale(lab, 1)
    lab.kubectl("wait", "--for=delete", f"namespace/{namespace}", "--timeout=60s")


def test_definitions_outlive_the_release_and_go_on_asking_its_webhook(cluster: Cluster) -> None:
    graph = read(toy_graph())
    uninstall(cluster.lab)
    try:
        # A dry run is refused too, and with it a preview, wherever the namespace is there already.
        for flags in ((), ("--dry-run=server",)):
            refused = cluster.apply(graph, *flags, check=False).stderr
            assert REFUSED.search(refused), refused
        assert 'service "dynamo-platform-dynamo-operator-webhook-service" not found' in refused
        assert cluster.apply(toy_graph(), "--dry-run=server", check=False).returncode == 0
    finally:
        install(cluster.lab)
    until_answered("an apply", lambda: cluster.apply(graph, check=False).returncode == 0)
    cluster.await_condition("True")
