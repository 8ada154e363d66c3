"""Claims on a real control plane with the provisioner stand-in beside it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = pytest.mark.lab

NAMESPACE = "claims-test"
DEADLINE = 30.0


@pytest.fixture(scope="module")
def cluster(lab: Sandbox) -> Iterator[Sandbox]:
    lab.kubectl("create", "namespace", NAMESPACE)
    yield lab
    lab.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def create(lab: Sandbox, manifest: dict[str, Any]) -> None:
    lab.kubectl("create", "--namespace", NAMESPACE, "-f", "-", stdin=json.dumps(manifest))


def claim(name: str, storage_class: str, mode: str) -> dict[str, Any]:
    spec = {
        "storageClassName": storage_class,
        "accessModes": [mode],
        "resources": {"requests": {"storage": "100Gi"}},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


def pod(name: str, claimed: str, node: str) -> dict[str, Any]:
    mounts = [{"name": "data", "mountPath": "/data"}]
    spec = {
        "nodeSelector": {"kubernetes.io/hostname": node},
        "containers": [{"name": "main", "image": "registry.example/x:1", "volumeMounts": mounts}],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claimed}}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def await_bound(lab: Sandbox, name: str) -> dict[str, Any]:
    bound = "--for=jsonpath={.status.phase}=Bound"
    lab.kubectl("wait", bound, f"pvc/{name}", "--namespace", NAMESPACE, "--timeout=30s")
    volume = lab.get("pvc", name, "--namespace", NAMESPACE)["spec"]["volumeName"]
    found: dict[str, Any] = lab.get("pv", volume)
    return found


def test_a_zonal_claim_waits_for_its_first_pod_and_keeps_the_next_in_that_zone(cluster: Sandbox) -> None:
    create(cluster, claim("zonal", "gp3", "ReadWriteOnce"))
    # A claim that is served at once shows that this one has been looked at and left alone.
    create(cluster, claim("other", "shared-files", "ReadWriteMany"))
    await_bound(cluster, "other")
    assert cluster.get("pvc", "zonal", "--namespace", NAMESPACE)["status"]["phase"] == "Pending"
    create(cluster, pod("first", "zonal", "system-1"))
    volume = await_bound(cluster, "zonal")
    (term,) = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == ["us-east-1a"]
    create(cluster, pod("second", "zonal", "system-0"))
    unscheduled = "--for=condition=PodScheduled=False"
    cluster.kubectl("wait", unscheduled, "pod/second", "--namespace", NAMESPACE, "--timeout=30s")
    status = cluster.get("pod", "second", "--namespace", NAMESPACE)["status"]
    assert "didn't match PersistentVolume's node affinity" in status["conditions"][0]["message"]


def test_a_disk_for_several_nodes_stays_pending_with_the_drivers_reason(cluster: Sandbox) -> None:
    create(cluster, claim("many", "gp3", "ReadWriteMany"))
    create(cluster, pod("wanting", "many", "system-2"))
    failed = ("events", "--namespace", NAMESPACE, "--field-selector=reason=ProvisioningFailed")
    until(lambda: cluster.get(*failed)["items"] != [], "the event", DEADLINE, cluster=cluster.directory)
    (event,) = cluster.get(*failed)["items"]
    assert "Only AccessModes[ReadWriteOnce] supported" in event["message"]
    assert cluster.get("pvc", "many", "--namespace", NAMESPACE)["status"]["phase"] == "Pending"
