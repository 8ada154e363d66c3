"""The platform's release for every way of NATS and etcd, and for a platform that exists."""

from __future__ import annotations

from typing import Any

import pytest

from tests.components.recorded import named, objects, recorded
from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings

NATS_ADDRESS = "nats://dynamo-nats.dynamo-system.svc.cluster.local:4222"
BUNDLED = {"kind": "bundled", "storageClassName": "fast-disks"}


def _values(**platform: Any) -> Any:
    settings = disagg_b200_settings()
    settings["platform"] |= platform
    return objects(recorded(settings))["Release dynamo-platform"].inputs["values"]


def test_own_nats_servers_replace_the_charts() -> None:
    values = _values()
    assert values["global"]["nats"] == {"install": False}
    assert values["dynamo-operator"]["natsAddr"] == NATS_ADDRESS
    assert "nats" not in values


def test_nats_servers_of_others_are_named_and_none_is_installed() -> None:
    values = _values(nats={"kind": "external", "address": "nats://nats.example.com:4222"})
    assert values["global"]["nats"] == {"install": False}
    assert values["dynamo-operator"]["natsAddr"] == "nats://nats.example.com:4222"


def test_the_charts_own_servers_get_a_named_storage_class_and_no_address() -> None:
    values = _values(nats=BUNDLED, discovery="etcd", etcd=BUNDLED)
    assert values["global"]["nats"] == values["global"]["etcd"] == {"install": True}
    assert values["nats"]["config"]["jetstream"]["fileStore"]["pvc"] == {"storageClassName": "fast-disks"}
    assert values["etcd"] == {"persistence": {"storageClass": "fast-disks"}}
    assert not {"natsAddr", "etcdAddr"} & values["dynamo-operator"].keys()


def test_discovery_through_kubernetes_needs_no_etcd() -> None:
    values = _values()
    assert values["dynamo-operator"]["discoveryBackend"] == "kubernetes"
    assert values["global"]["etcd"] == {"install": False}
    assert "etcdAddr" not in values["dynamo-operator"]


def test_etcd_of_others_is_named_with_all_its_members() -> None:
    addresses = ["http://etcd-0.example.com:2379", "http://etcd-1.example.com:2379"]
    values = _values(discovery="etcd", etcd={"kind": "external", "addresses": addresses})
    assert values["dynamo-operator"]["discoveryBackend"] == "etcd"
    assert values["dynamo-operator"]["etcdAddr"] == ",".join(addresses)
    assert values["global"]["etcd"] == {"install": False}


def test_the_operators_image_comes_from_the_mirror_too() -> None:
    settings = disagg_b200_settings() | {"imageMirrors": {"nvcr.io": "registry.example.com/nvcr"}}
    values: Any = objects(recorded(settings))["Release dynamo-platform"].inputs["values"]
    image = values["dynamo-operator"]["controllerManager"]["manager"]["image"]
    assert image == {"repository": "registry.example.com/nvcr/nvidia/ai-dynamo/kubernetes-operator"}
    assert "controllerManager" not in _values()["dynamo-operator"]


@pytest.fixture
def second() -> dict[str, Any]:
    """A second stack on a platform that another one runs."""
    settings = disagg_gb200_settings()
    settings["platform"] = {"kind": "existing", "version": "1.2.1", "namespace": "inference"}
    settings["serving"] |= {"namespace": "batch", "name": "batch-graph"}
    return settings


def test_a_stack_on_an_existing_platform_registers_nothing_of_it(second: dict[str, Any]) -> None:
    graph = recorded(second)
    assert named(graph, "Namespace") == ["batch"]
    for kind in ("Release", "StatefulSet", "Service"):
        assert named(graph, kind) == []
    placed = [resource for resource in objects(graph).values() if resource.kind != "Namespace"]
    assert {str(resource.namespace) for resource in placed} == {"batch"}


def test_the_servers_of_an_existing_platform_know_a_second_stack_by_its_namespaces_label(
    second: dict[str, Any],
) -> None:
    labels = objects(recorded(second))["Namespace batch"].metadata["labels"]
    assert labels["uses-dynamo-platform"] == "inference"


def test_two_stacks_on_one_platform_share_no_name(second: dict[str, Any]) -> None:
    first = disagg_gb200_settings()
    first["platform"]["namespace"] = "inference"

    def identities(settings: dict[str, Any]) -> set[tuple[str, object]]:
        return {(name, resource.namespace) for name, resource in objects(recorded(settings)).items()}

    assert identities(first).isdisjoint(identities(second))
