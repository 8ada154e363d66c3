"""Compute domains on a real API server and scheduler; the trays and their pods are simulated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab

NAMESPACE = "domains-test"
MARK = "resource.nvidia.com/computeDomain"
DEADLINE = 30.0
TRAYS = ["p6e-gb200-0", "p6e-gb200-1"]


def domain(name: str, template: str) -> dict[str, Any]:
    channel = {"resourceClaimTemplate": {"name": template}, "allocationMode": "Single"}
    return {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"numNodes": 0, "channel": channel},
    }


def claimant(name: str, instance_type: str) -> dict[str, Any]:
    container = {
        "name": "main",
        "image": "registry.example/x:1",
        "resources": {"claims": [{"name": "channel"}]},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "nodeSelector": {"node.kubernetes.io/instance-type": instance_type},
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
            "containers": [container],
            "resourceClaims": [{"name": "channel", "resourceClaimTemplateName": "channel"}],
        },
    }


def create(lab: Sandbox, *manifests: dict[str, Any]) -> None:
    items = {"apiVersion": "v1", "kind": "List", "items": list(manifests)}
    lab.kubectl("create", "--validate=strict", "-f", "-", stdin=json.dumps(items))


def came(lab: Sandbox, what: str, happened: Callable[[], bool]) -> None:
    until(happened, what, DEADLINE, cluster=lab.directory)


def status(lab: Sandbox) -> dict[str, Any]:
    found: dict[str, Any] = lab.get("computedomain", "domain", "-n", NAMESPACE).get("status", {})
    return found


def labelled_nodes(lab: Sandbox) -> list[str]:
    return sorted(each["metadata"]["name"] for each in lab.get("nodes", "-l", MARK)["items"])


@pytest.fixture(scope="module")
def crowded(lab: Sandbox) -> Iterator[Sandbox]:
    """Three pods that claim a channel on the two trays, and one that claims it on the B200 node."""
    lab.kubectl("create", "namespace", NAMESPACE)
    pods = [claimant(f"tray-{number}", "p6e-gb200.36xlarge") for number in range(3)]
    create(lab, domain("domain", "channel"), *pods, claimant("no-clique", "p6-b200.48xlarge"))
    came(lab, "two trays", lambda: len(status(lab).get("nodes", [])) == len(TRAYS))
    yield lab
    lab.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def test_each_tray_serves_one_claimant_and_the_scheduler_leaves_the_third_waiting(crowded: Sandbox) -> None:
    pods = crowded.get("pods", "-n", NAMESPACE)["items"]
    on_trays = [each for each in pods if each["metadata"]["name"].startswith("tray-")]
    placed = [each["spec"]["nodeName"] for each in on_trays if "nodeName" in each["spec"]]
    assert sorted(placed) == TRAYS, "one channel each, whatever its GPUs"
    (waiting,) = [each for each in on_trays if "nodeName" not in each["spec"]]
    assert "cannot allocate all claims" in waiting["status"]["conditions"][0]["message"]
    running = [f"pod/{each['metadata']['name']}" for each in on_trays if each is not waiting]
    crowded.kubectl("wait", "--for=condition=Ready", *running, "-n", NAMESPACE, "--timeout=30s")


def test_a_node_without_an_nvlink_clique_has_no_channel_to_give(crowded: Sandbox) -> None:
    crowded.kubectl("wait", "--for=condition=PodScheduled=False", "pod/no-clique", "-n", NAMESPACE)
    message = crowded.get("pod", "no-clique", "-n", NAMESPACE)["status"]["conditions"][0]["message"]
    assert "cannot allocate all claims" in message
    pools = {each["spec"]["pool"]["name"] for each in crowded.get("resourceslices")["items"]}
    assert pools == set(TRAYS)


def test_the_domain_and_its_trays_name_each_other(crowded: Sandbox) -> None:
    found = status(crowded)
    assert found["status"] == "Ready"
    cliques = {
        each["metadata"]["name"]: each["metadata"]["labels"]["nvidia.com/gpu.clique"]
        for each in crowded.get("nodes", *TRAYS)["items"]
    }
    assert {each["name"]: each["cliqueID"] for each in found["nodes"]} == cliques
    uid = crowded.get("computedomain", "domain", "-n", NAMESPACE)["metadata"]["uid"]
    came(crowded, "labels of the trays", lambda: labelled_nodes(crowded) == TRAYS)
    assert {each["metadata"]["labels"][MARK] for each in crowded.get("nodes", "-l", MARK)["items"]} == {uid}


def test_a_deleted_domain_goes_with_its_template_and_its_labels(crowded: Sandbox) -> None:
    held = crowded.get("computedomain", "domain", "-n", NAMESPACE)["metadata"]["finalizers"]
    assert held == [MARK]
    crowded.kubectl("delete", "pods", "--all", "-n", NAMESPACE, "--timeout=30s")
    came(crowded, "no label left", lambda: labelled_nodes(crowded) == [])
    crowded.kubectl("delete", "computedomain", "domain", "-n", NAMESPACE, "--timeout=30s")
    assert crowded.get("resourceclaimtemplates", "-n", NAMESPACE)["items"] == []
