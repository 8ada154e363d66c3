"""The objects of a graph: names, labels, owners, and what cannot be built."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lab.dynamo_operator.pod import CannotReconcile
from lab.dynamo_operator.workloads import refuse_what_cannot_be_built
from tests.lab.dynamo_operator.built import CONFIGURATION, HASH, Manifest, objects, owners
from tests.lab.fixtures.graphs import toy_graph, worker


def template(graph: Manifest, name: str) -> Manifest:
    found: Manifest = objects(graph)["Deployment", name]["spec"]["template"]["metadata"]
    return found


def test_workers_carry_their_generation_in_the_name_and_the_frontend_does_not() -> None:
    names = [f"toy-decode-{HASH}", "toy-frontend", f"toy-prefill-{HASH}"]
    made = objects(toy_graph())
    assert sorted(name for name in made if name[0] in {"Deployment", "Service"}) == [
        (kind, name) for kind in ("Deployment", "Service") for name in names
    ]


def test_metrics_can_be_switched_off_for_a_graph() -> None:
    graph = toy_graph()
    assert template(graph, "toy-frontend")["labels"]["nvidia.com/metrics-enabled"] == "true"
    graph["metadata"]["annotations"] = {"nvidia.com/enable-metrics": "false"}
    assert "nvidia.com/metrics-enabled" not in template(graph, "toy-frontend")["labels"]


def test_metadata_of_service_and_pod_reach_deployment_pods_and_service_the_pods_before_the_services() -> None:
    extra = {"labels": {"team": "a"}, "annotations": {"note": "pod"}}
    decode = worker(
        "decode",
        "4",
        extraPodMetadata=extra,
        annotations={"note": "service", "more": "b"},
        labels={"cost": "b"},
    )
    made = objects(toy_graph(Decode=decode))
    name = f"toy-decode-{HASH}"
    for metadata in (
        made["Deployment", name]["metadata"],
        made["Deployment", name]["spec"]["template"]["metadata"],
        made["Service", name]["metadata"],
    ):
        assert metadata["annotations"] == {"note": "pod", "more": "b"}
        assert (metadata["labels"]["team"], metadata["labels"]["cost"]) == ("a", "b")


def test_a_graph_owns_its_component_deployments_and_those_own_what_serves() -> None:
    graph = toy_graph()
    parts = owners(graph)
    for part in parts.values():
        (owner,) = part["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["apiVersion"]) == ("DynamoGraphDeployment", "nvidia.com/v1beta1")
        assert (owner["uid"], owner["controller"], owner["blockOwnerDeletion"]) == ("uid-of-toy", True, True)
    for (kind, name), each in objects(graph).items():
        if kind in {"Deployment", "Service"}:
            (owner,) = each["metadata"]["ownerReferences"]
            assert (owner["kind"], owner["name"]) == ("DynamoComponentDeployment", name)
            assert owner["blockOwnerDeletion"] is True


def test_the_frontend_service_answers_on_8000_and_a_workers_on_9090() -> None:
    made = objects(toy_graph())
    assert made["Service", "toy-frontend"]["spec"]["ports"] == [
        {"name": "http", "port": 8000, "targetPort": "http", "protocol": "TCP"}
    ]
    assert made["Service", f"toy-prefill-{HASH}"]["spec"]["ports"][0]["port"] == 9090


def test_without_discovery_by_kubernetes_only_the_frontend_has_a_service() -> None:
    made = objects(toy_graph(), replace(CONFIGURATION, discovery_backend="etcd"))
    assert [name for kind, name in made if kind == "Service"] == ["toy-frontend"]
    assert not any(kind == "ServiceAccount" for kind, _ in made)


def test_the_planners_account_has_no_owner_and_so_outlives_the_graph() -> None:
    made = objects(toy_graph(), replace(CONFIGURATION, planner_role="planner"))
    for name in (
        ("ServiceAccount", "planner-serviceaccount"),
        ("RoleBinding", "planner-serviceaccount-binding"),
    ):
        assert "ownerReferences" not in made[name]["metadata"]


def test_only_claims_that_are_to_be_created_have_a_spec() -> None:
    graph = toy_graph()
    new = {"create": True, "storageClass": "files", "size": "1Gi", "volumeAccessMode": "ReadWriteMany"}
    graph["spec"]["pvcs"] = [{"name": "there-already"}, {"name": "new"} | new]
    made = objects(graph)
    assert "spec" not in made["PersistentVolumeClaim", "there-already"]
    assert made["PersistentVolumeClaim", "new"]["spec"]["storageClassName"] == "files"


def refused(**fields: Any) -> None:
    for part in owners(toy_graph(Decode=worker("decode", "4", **fields))).values():
        refuse_what_cannot_be_built(part["spec"])


def test_component_type_main_fails_because_the_enum_of_v1beta1_lacks_it() -> None:
    with pytest.raises(
        CannotReconcile, match='Unsupported value: "main": supported values: "frontend", "worker"'
    ):
        refused(componentType="main")


def test_several_nodes_need_grove_or_leader_worker_sets() -> None:
    with pytest.raises(CannotReconcile, match="no multinode orchestrator available"):
        refused(multinode={"nodeCount": 2})
