"""The platform's release for every way of NATS and etcd, and for a platform that exists."""

from typing import Any

import pytest

from tests.components.recorded import named, objects, recorded
from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings

BUNDLED = {"kind": "bundled", "storageClassName": "fast-disks"}
ADDRESS = "nats://nats.example.com:4222"
MEMBERS = ["http://etcd-0.example.com:2379", "http://etcd-1.example.com:2379"]
_OWN = {
    "nats": False,
    "etcd": False,
    "natsAddr": "nats://dynamo-nats.dynamo-system.svc.cluster.local:4222",
    "discoveryBackend": "kubernetes",
}
_PLATFORMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "own NATS replaces the chart's, and discovery through Kubernetes needs no etcd": ({}, _OWN),
    "NATS of others is named": (
        {"nats": {"kind": "external", "address": ADDRESS}},
        _OWN | {"natsAddr": ADDRESS},
    ),
    "etcd of others is named with all its members": (
        {"discovery": "etcd", "etcd": {"kind": "external", "addresses": MEMBERS}},
        _OWN | {"etcdAddr": ",".join(MEMBERS), "discoveryBackend": "etcd"},
    ),
    "the chart's own servers have a class and no address": (
        {"nats": BUNDLED, "discovery": "etcd", "etcd": BUNDLED},
        {
            "nats": True,
            "etcd": True,
            "discoveryBackend": "etcd",
            "natsClass": {"storageClassName": "fast-disks"},
            "etcdClass": {"storageClass": "fast-disks"},
        },
    ),
}


def _values(settings: dict[str, Any]) -> Any:
    return objects(recorded(settings))["Release dynamo-platform"].inputs["values"]


@pytest.mark.parametrize("case", _PLATFORMS)
def test_a_platform_is_told_where_its_servers_are(case: str) -> None:
    platform, expected = _PLATFORMS[case]
    settings = disagg_b200_settings()
    settings["platform"] |= platform
    values = _values(settings)
    operator = values["dynamo-operator"]
    found = {name: values["global"][name]["install"] for name in ("nats", "etcd")}
    found |= {
        name: operator[name] for name in ("natsAddr", "etcdAddr", "discoveryBackend") if name in operator
    }
    if "nats" in values:
        found["natsClass"] = values["nats"]["config"]["jetstream"]["fileStore"]["pvc"]
    if "etcd" in values:
        found["etcdClass"] = values["etcd"]["persistence"]
    assert found == expected


def test_the_operators_image_comes_from_the_mirror_too() -> None:
    operator = _values(disagg_b200_settings() | {"imageMirrors": {"nvcr.io": "registry.example.com/nvcr"}})[
        "dynamo-operator"
    ]
    image = operator["controllerManager"]["manager"]["image"]
    assert image == {"repository": "registry.example.com/nvcr/nvidia/ai-dynamo/kubernetes-operator"}
    assert "controllerManager" not in _values(disagg_b200_settings())["dynamo-operator"]


def test_a_stack_on_an_existing_platform_registers_nothing_of_it_and_shares_no_name_with_its_owner() -> None:
    first = disagg_gb200_settings()
    first["platform"]["namespace"] = "inference"
    second = disagg_gb200_settings()
    second["platform"] = {"kind": "existing", "version": "1.2.1", "namespace": "inference"}
    second["serving"] |= {"namespace": "batch", "name": "batch-graph"}
    graph = recorded(second)
    assert named(graph, "Namespace") == ["batch"]
    for kind in ("Release", "StatefulSet", "Service"):
        assert named(graph, kind) == []
    mine, theirs = (
        {(name, str(each.namespace)) for name, each in objects(found).items()}
        for found in (graph, recorded(first))
    )
    assert {namespace for name, namespace in mine if name != "Namespace batch"} == {"batch"}
    assert mine.isdisjoint(theirs)
    # By this the servers of the platform know it.
    labels: Any = objects(graph)["Namespace batch"].metadata["labels"]
    assert labels["uses-dynamo-platform"] == "inference"
