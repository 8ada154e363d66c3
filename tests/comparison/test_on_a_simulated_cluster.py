"""What the tables say, asked of a real API server and of its controllers."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from comparison.changes import Operation
from comparison.resources import compare
from tests.comparison.resources_of_tests import NAMESPACE, deployment, effects, kubernetes_object, with_inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resource_graph import Resource
    from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab

_DEADLINE = 60.0
_CONTAINERS = [{"name": "main", "image": "server:1"}]
_TEMPLATE = {"spec": {"containers": _CONTAINERS, "restartPolicy": "Never"}}
_CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}
_DEVICES = {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}


def _spec(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda inputs: inputs["spec"].update(fields)


def _top(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda inputs: inputs.update(fields)


def _pod(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda inputs: inputs["spec"]["template"]["spec"].update(fields)


_JOB = kubernetes_object("batch/v1", "Job", "fill", spec={"suspend": True, "template": _TEMPLATE})
_SERVICE = kubernetes_object("v1", "Service", "front", spec={"ports": [{"port": 80}], "selector": {"a": "b"}})
_MAP = kubernetes_object("v1", "ConfigMap", "files", data={"a": "1"}, immutable=True)
_CLASS = kubernetes_object("storage.k8s.io/v1", "StorageClass", "fast", provisioner="example.com/disks")
_PRIORITY = kubernetes_object("scheduling.k8s.io/v1", "PriorityClass", "first", value=1000)
_CLAIMS = kubernetes_object(
    "resource.k8s.io/v1", "ResourceClaimTemplate", "gpus", spec={"spec": {"devices": _DEVICES}}
)
_UPDATES = {
    "a job's limit of attempts": (_JOB, _spec(backoffLimit=2)),
    "a job's completion mode": (_JOB, _spec(completionMode="Indexed", completions=None)),
    "a job's manager": (_JOB, _spec(managedBy="example.com/other")),
    "a service's port": (_SERVICE, _spec(ports=[{"port": 81}])),
    "a service's balancer": (_SERVICE, _spec(type="LoadBalancer", loadBalancerClass="example.com/one")),
    "a map's label": (_MAP, lambda inputs: inputs["metadata"].update(labels={"a": "b"})),
    "a class's reclaim policy": (_CLASS, _top(reclaimPolicy="Retain")),
    "a class's binding": (_CLASS, _top(volumeBindingMode="WaitForFirstConsumer")),
    "a class's growth": (_CLASS, _top(allowVolumeExpansion=True)),
    "a priority's value": (_PRIORITY, _top(value=2000)),
    "a priority's description": (_PRIORITY, _top(description="first of all")),
    "a claim template's devices": (_CLAIMS, _spec(spec={"devices": {}})),
    "a claim's volume mode": (
        kubernetes_object("v1", "PersistentVolumeClaim", "data", spec=_CLAIM), _spec(volumeMode="Block")
    ),
    "a claim's shrinking": (
        kubernetes_object("v1", "PersistentVolumeClaim", "data", spec=_CLAIM),
        _spec(resources={"requests": {"storage": "5Gi"}}),
    ),
    "a deployment's replicas": (deployment(), _spec(replicas=0)),
}  # fmt: skip
_SAME = {
    "pod defaults": (deployment(), _pod(dnsPolicy="ClusterFirst", restartPolicy="Always")),
    "container defaults": (
        deployment(),
        _pod(containers=[{**_CONTAINERS[0], "resources": {}, "env": []}]),
    ),
    "amounts": (
        deployment(containers=[{**_CONTAINERS[0], "resources": {"limits": {"cpu": 1, "memory": "1024Mi"}}}]),
        _pod(containers=[{**_CONTAINERS[0], "resources": {"limits": {"cpu": "1000m", "memory": "1Gi"}}}]),
    ),
    "strategy": (deployment(), _spec(strategy={"type": "RollingUpdate"}, revisionHistoryLimit=10)),
}  # fmt: skip
_VOLUMES = [{"name": "one", "emptyDir": {}}, {"name": "two", "emptyDir": {}}]
_ROLLING = {
    "image": (deployment(), _pod(containers=[{"name": "main", "image": "server:2"}]), "rolls pods"),
    "service links": (deployment(), _pod(enableServiceLinks=True), "rolls pods"),
    "order of volumes": (deployment(volumes=_VOLUMES), _pod(volumes=_VOLUMES[::-1]), "rolls pods"),
    "an empty list": (deployment(), _pod(tolerations=[]), None),
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
    before, change = _UPDATES[case]
    made(before)
    after = with_inputs(before, change)
    (found,) = compare([before], [after])
    assert found.operation is Operation.UPDATE
    refusal = _apply(cluster, after, "--dry-run=server")
    assert bool(refusal) is found.is_refused, refusal


@pytest.mark.parametrize("case", _SAME)
def test_what_is_said_to_be_the_same_makes_no_new_generation(
    cluster: Sandbox, made: Callable[[Resource], None], case: str
) -> None:
    before, change = _SAME[case]
    made(before)
    generation = _live(cluster, before)["metadata"]["generation"]
    after = with_inputs(before, change)
    assert compare([before], [after]) == ()
    assert _apply(cluster, after) == ""
    assert _live(cluster, before)["metadata"]["generation"] == generation


@pytest.mark.parametrize("case", _ROLLING)
def test_pods_start_anew_where_it_is_said(
    cluster: Sandbox, made: Callable[[Resource], None], case: str
) -> None:
    before, change, effect = _ROLLING[case]
    made(before)
    revision = _revision(cluster, before)
    after = with_inputs(before, change)
    said = {each for found in compare([before], [after]) for each in effects(found).values()}
    assert said == ({effect} if effect else set())
    assert _apply(cluster, after) == ""
    assert (_revision(cluster, before) != revision) is (effect == "rolls pods")


def _apply(lab: Sandbox, resource: Resource, *options: str) -> str:
    """What the API server says against it; nothing where it takes the object."""
    answer = lab.kubectl(
        "apply", "--server-side", "--field-manager=pulumi-kubernetes", *options, "-f", "-",
        stdin=_manifest(resource), check=False,
    )  # fmt: skip
    return answer.stderr if answer.returncode else ""


def _manifest(resource: Resource) -> str:
    return json.dumps(_without_nothing(resource.inputs))


def _without_nothing(value: Any) -> Any:
    # The engine sends no null.
    if not isinstance(value, dict):
        return value
    return {key: _without_nothing(each) for key, each in value.items() if each is not None}


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
