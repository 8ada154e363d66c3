"""What no recording holds of a graph's objects: own metadata, discovery by etcd, what cannot be built."""

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


def test_without_discovery_by_kubernetes_only_the_frontend_has_a_service() -> None:
    made = objects(toy_graph(), replace(CONFIGURATION, discovery_backend="etcd"))
    assert [name for kind, name in made if kind == "Service"] == ["toy-frontend"]
    assert not any(kind == "ServiceAccount" for kind, _ in made)


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
