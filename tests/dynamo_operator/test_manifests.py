"""The objects of a graph: names, labels, owners, and what cannot be built."""

from __future__ import annotations

from typing import Any

import pytest

from lab.dynamo_operator.components import workers_hash
from lab.dynamo_operator.configuration import OperatorConfiguration
from lab.dynamo_operator.manifests import component_objects, components_of, shared_objects
from lab.dynamo_operator.pod import CannotReconcile
from tests.lab_fixtures.graphs import toy_graph, worker

HASH = "0123abcd"
CONFIGURATION = OperatorConfiguration(version="1.2.1")


def objects(graph: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    made = [
        manifest
        for component in components_of(graph, HASH)
        for manifest in component_objects(component, CONFIGURATION, component.replicas, [])
    ]
    return {(each["kind"], each["metadata"]["name"]): each for each in made}


def test_workers_carry_their_generation_in_the_name_and_the_frontend_does_not() -> None:
    names = [f"toy-decode-{HASH}", "toy-frontend", f"toy-prefill-{HASH}"]
    assert sorted(objects(toy_graph())) == [
        (kind, name) for kind in ("Deployment", "Service") for name in names
    ]


def test_a_decode_pod_carries_the_labels_by_which_people_and_monitors_find_it() -> None:
    deployment = objects(toy_graph())["Deployment", f"toy-decode-{HASH}"]
    labels = {
        "nvidia.com/selector": "toy-decode",
        "nvidia.com/dynamo-graph-deployment-name": "toy",
        "nvidia.com/dynamo-component": "Decode",
        "nvidia.com/dynamo-component-type": "decode",
        "nvidia.com/dynamo-sub-component-type": "decode",
        "nvidia.com/dynamo-namespace": "demo-toy",
        "nvidia.com/dynamo-worker-hash": HASH,
        "nvidia.com/metrics-enabled": "true",
    }
    assert deployment["spec"]["template"]["metadata"] == {"labels": labels}
    assert deployment["metadata"]["labels"] == labels
    assert deployment["spec"]["selector"]["matchLabels"] == {
        "nvidia.com/selector": "toy-decode",
        "nvidia.com/dynamo-worker-hash": HASH,
    }


def test_metrics_can_be_switched_off_for_a_graph() -> None:
    graph = toy_graph()
    graph["metadata"]["annotations"] = {"nvidia.com/enable-metrics": "false"}
    labels = objects(graph)["Deployment", "toy-frontend"]["metadata"]["labels"]
    assert "nvidia.com/metrics-enabled" not in labels


def test_pod_metadata_reaches_the_pod_and_service_metadata_the_deployment() -> None:
    extra = {"labels": {"team": "a"}, "annotations": {"note": "pod"}}
    decode = worker(
        "decode", "4", extraPodMetadata=extra, annotations={"note": "deployment"}, labels={"cost": "b"}
    )
    deployment = objects(toy_graph(Decode=decode))["Deployment", f"toy-decode-{HASH}"]
    template = deployment["spec"]["template"]["metadata"]
    assert (template["labels"]["team"], template["annotations"]) == ("a", {"note": "pod"})
    assert deployment["metadata"]["annotations"] == {"note": "deployment"}
    assert deployment["metadata"]["labels"]["cost"] == "b"
    assert "cost" not in template["labels"]


def test_every_object_goes_with_its_graph() -> None:
    graph = toy_graph()
    graph["spec"]["pvcs"] = [
        {
            "name": "cache",
            "create": True,
            "storageClass": "files",
            "size": "1Gi",
            "volumeAccessMode": "ReadWriteMany",
        }
    ]
    for manifest in [*objects(graph).values(), *shared_objects(graph, CONFIGURATION)]:
        (owner,) = manifest["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == (
            "DynamoGraphDeployment",
            "uid-of-toy",
            True,
        )
        assert manifest["metadata"]["namespace"] == "demo"


def test_the_frontend_service_answers_on_8000_and_a_workers_on_9090() -> None:
    made = objects(toy_graph())
    assert made["Service", "toy-frontend"]["spec"]["ports"] == [
        {"name": "http", "port": 8000, "targetPort": "http", "protocol": "TCP"}
    ]
    assert made["Service", f"toy-prefill-{HASH}"]["spec"]["ports"][0]["port"] == 9090


def test_components_may_find_each_other_through_the_api_server() -> None:
    kinds = [(each["kind"], each["metadata"]["name"]) for each in shared_objects(toy_graph(), CONFIGURATION)]
    name = "toy-k8s-service-discovery"
    assert kinds == [("ServiceAccount", name), ("Role", name), ("RoleBinding", name)]


def test_only_claims_that_are_to_be_created_are_created() -> None:
    graph = toy_graph()
    graph["spec"]["pvcs"] = [{"name": "there-already"}]
    assert all(each["kind"] != "PersistentVolumeClaim" for each in shared_objects(graph, CONFIGURATION))


def test_component_type_main_fails_because_the_enum_of_v1beta1_lacks_it() -> None:
    graph = toy_graph(Decode=worker("decode", "4", componentType="main"))
    with pytest.raises(
        CannotReconcile, match='Unsupported value: "main": supported values: "frontend", "worker"'
    ):
        components_of(graph, HASH)


def test_several_nodes_need_grove_or_leader_worker_sets() -> None:
    graph = toy_graph(Decode=worker("decode", "4", multinode={"nodeCount": 2}))
    with pytest.raises(CannotReconcile, match="service Decode: multinode needs Grove or LeaderWorkerSet"):
        components_of(graph, HASH)


def services(**fields: Any) -> dict[str, Any]:
    return toy_graph(Decode=worker("decode", "4", **fields))["spec"]["services"]


@pytest.mark.parametrize(
    "fields",
    [
        {"replicas": 3},
        {"annotations": {"a": "b"}},
        {"labels": {"a": "b"}},
        {"scalingAdapter": {"enabled": True}},
    ],
)
def test_what_does_not_reach_the_pod_starts_no_new_generation(fields: dict[str, Any]) -> None:
    assert workers_hash(services(**fields)) == workers_hash(services())


@pytest.mark.parametrize("fields", [{"envFromSecret": "token"}, {"sharedMemory": {"size": "1Gi"}}])
def test_a_change_of_one_workers_pod_starts_a_new_generation_of_all(fields: dict[str, Any]) -> None:
    assert workers_hash(services(**fields)) != workers_hash(services())


def test_a_change_of_the_frontend_starts_no_new_generation() -> None:
    graph = toy_graph()
    before = workers_hash(graph["spec"]["services"])
    graph["spec"]["services"]["Frontend"]["envFromSecret"] = "token"
    assert workers_hash(graph["spec"]["services"]) == before
