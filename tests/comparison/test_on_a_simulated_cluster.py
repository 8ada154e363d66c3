"""What the tables say, asked of a real API server and of its controllers."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from comparison.changes import Effect, Operation
from comparison.resources import compare
from resource_graph import Resource
from tests.comparison.resources_of_tests import NAMESPACE, deployment, kubernetes_object, with_values
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab

_DEADLINE = 60.0
_CONTAINERS = [{"name": "main", "image": "server:1"}]
_TEMPLATE = {"spec": {"containers": _CONTAINERS, "restartPolicy": "Never"}}
_CLAIM_SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}
_DEVICES = {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}


_JOB = kubernetes_object("batch/v1", "Job", "fill", spec={"suspend": True, "template": _TEMPLATE})
_SERVICE = kubernetes_object("v1", "Service", "front", spec={"ports": [{"port": 80}], "selector": {"a": "b"}})
_MAP = kubernetes_object("v1", "ConfigMap", "files", data={"a": "1"}, immutable=True)
_CLASS = kubernetes_object("storage.k8s.io/v1", "StorageClass", "fast", provisioner="example.com/disks")
_PRIORITY = kubernetes_object("scheduling.k8s.io/v1", "PriorityClass", "first", value=1000)
_CLAIMS = kubernetes_object(
    "resource.k8s.io/v1", "ResourceClaimTemplate", "gpus", spec={"spec": {"devices": _DEVICES}}
)
_CLAIM = kubernetes_object("v1", "PersistentVolumeClaim", "data", spec=_CLAIM_SPEC)
_POD = "spec/template/spec"
_UPDATES: dict[str, tuple[Resource, dict[str, Any]]] = {
    "a job's limit of attempts": (_JOB, {"spec/backoffLimit": 2}),
    "a job's completion mode": (_JOB, {"spec/completionMode": "Indexed"}),
    "a job's manager": (_JOB, {"spec/managedBy": "example.com/other"}),
    "a service's port": (_SERVICE, {"spec/ports": [{"port": 81}]}),
    "a service's balancer": (
        _SERVICE,
        {"spec/type": "LoadBalancer", "spec/loadBalancerClass": "example.com/one"},
    ),
    "a map's label": (_MAP, {"metadata/labels": {"a": "b"}}),
    "a class's reclaim policy": (_CLASS, {"reclaimPolicy": "Retain"}),
    "a class's binding": (_CLASS, {"volumeBindingMode": "WaitForFirstConsumer"}),
    "a class's growth": (_CLASS, {"allowVolumeExpansion": True}),
    "a priority's value": (_PRIORITY, {"value": 2000}),
    "a priority's description": (_PRIORITY, {"description": "first of all"}),
    "a claim template's devices": (_CLAIMS, {"spec/spec": {"devices": {}}}),
    "a claim's volume mode": (_CLAIM, {"spec/volumeMode": "Block"}),
    "a claim's shrinking": (_CLAIM, {"spec/resources/requests/storage": "5Gi"}),
    "a deployment's replicas": (deployment(), {"spec/replicas": 0}),
}
_VOLUMES = [{"name": "one", "emptyDir": {}}, {"name": "two", "emptyDir": {}}]
_ROLLING: dict[str, tuple[Resource, dict[str, Any]]] = {
    "image": (deployment(), {f"{_POD}/containers/0/image": "server:2"}),
    "service links": (deployment(), {f"{_POD}/enableServiceLinks": True}),
    "order of volumes": (deployment(volumes=_VOLUMES), {f"{_POD}/volumes": _VOLUMES[::-1]}),
}


@pytest.fixture(scope="module")
def cluster(lab: Sandbox) -> Iterator[Sandbox]:
    lab.kubectl("create", "namespace", NAMESPACE)
    yield lab
    lab.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


@pytest.fixture
def made(cluster: Sandbox) -> Iterator[Callable[[Resource], None]]:
    """Makes an object that goes with the test."""
    objects: list[Resource] = []

    def make(resource: Resource) -> None:
        objects.append(resource)
        assert _apply(cluster, resource) == ""

    yield make
    for each in objects:
        cluster.kubectl("delete", "-f", "-", stdin=_manifest(each))


@pytest.mark.parametrize("case", _UPDATES)
def test_the_api_server_refuses_what_is_said_to_be_refused_and_nothing_else(
    cluster: Sandbox, made: Callable[[Resource], None], case: str
) -> None:
    before, values = _UPDATES[case]
    made(before)
    after = with_values(before, values)
    (found,) = compare([before], [after])
    assert found.operation is Operation.UPDATE
    refusal = _apply(cluster, after, "--dry-run=server")
    assert bool(refusal) is found.is_refused, refusal


@pytest.mark.parametrize("case", _ROLLING)
def test_pods_start_anew_where_it_is_said(
    cluster: Sandbox, made: Callable[[Resource], None], case: str
) -> None:
    before, values = _ROLLING[case]
    made(before)
    revision = _revision(cluster, before)
    after = with_values(before, values)
    effects = {field.effect for found in compare([before], [after]) for field in found.fields}
    assert effects == {Effect.ROLLS_PODS}
    assert _apply(cluster, after) == ""
    assert _revision(cluster, before) != revision


def _apply(lab: Sandbox, resource: Resource, *options: str) -> str:
    """What the API server says against it; nothing where it takes the object."""
    answer = lab.kubectl(
        "apply", "--server-side", "--field-manager=pulumi-kubernetes", *options, "-f", "-",
        stdin=_manifest(resource), check=False,
    )  # fmt: skip
    return answer.stderr if answer.returncode else ""


def _manifest(resource: Resource) -> str:
    return json.dumps(resource.inputs)


def _live(lab: Sandbox, resource: Resource) -> Any:
    return lab.get(f"{resource.kind}", str(resource.object_name), "--namespace", NAMESPACE)


def _revision(lab: Sandbox, resource: Resource) -> str:
    """Number of templates that the controller has seen, once it has seen the last one."""
    deadline = time.monotonic() + _DEADLINE
    while time.monotonic() < deadline:
        live = _live(lab, resource)
        observed = live.get("status", {}).get("observedGeneration")
        if observed == live["metadata"]["generation"]:
            return str(live["metadata"]["annotations"]["deployment.kubernetes.io/revision"])
    raise AssertionError(f"the deployment is not observed within {_DEADLINE:.0f} s")
