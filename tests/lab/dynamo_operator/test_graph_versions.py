"""Graphs in v1alpha1 and v1beta1 where they say what no recorded one says: nothing is lost on the way."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from lab.dynamo_operator.conversion import V1ALPHA1, V1BETA1, convert, converted
from tests.lab.dynamo_operator.built import HASH, objects, read
from tests.lab.dynamo_operator.reviews import refusal
from tests.lab.fixtures.graphs import toy_graph, worker

PROBE = {"httpGet": {"path": "/ready", "port": "system"}}
ROLE = [{"name": "ROLE", "value": "decode"}]
MAIN = {
    "image": "registry.example/worker:1.2.1",
    "startupProbe": PROBE,
    "volumeMounts": [{"name": "cache", "mountPath": "/models"}],
}


def alpha() -> dict[str, Any]:
    """A graph whose decode worker says as much of itself as of its container."""
    decode = worker(
        "decode",
        "4",
        replicas=2,
        sharedMemory={"size": "80Gi"},
        envs=ROLE,
        readinessProbe=PROBE,
        extraPodMetadata={"labels": {"team": "a"}, "annotations": {"note": "b"}},
        extraPodSpec={"mainContainer": MAIN},
    )
    graph = toy_graph(Decode=decode)
    graph["spec"] |= {"envs": [{"name": "SHARED", "value": "1"}], "annotations": {"a": "b"}}
    return graph


def beta(**fields: Any) -> dict[str, Any]:
    """The same in v1beta1, not in the order of the alphabet, with these fields in its decode component."""
    graph = converted(alpha(), V1BETA1)
    graph["metadata"].pop("annotations")
    graph["spec"]["components"].reverse()
    graph["spec"]["components"][2] |= fields
    return graph


def deployment(graph: dict[str, Any], name: str) -> dict[str, Any]:
    return objects(graph)["Deployment", name]


def test_what_a_service_says_of_its_container_is_in_its_component_s_pod_template() -> None:
    decode = beta()["spec"]["components"][2]
    assert (decode["name"], decode["type"], decode["sharedMemorySize"]) == ("Decode", "decode", "80Gi")
    assert decode["podTemplate"]["metadata"] == {"labels": {"team": "a"}, "annotations": {"note": "b"}}
    assert decode["podTemplate"]["spec"]["containers"] == [
        MAIN
        | {
            "name": "main",
            "env": ROLE,
            "readinessProbe": PROBE,
            "resources": {"limits": {"nvidia.com/gpu": "4"}},
        }
    ]
    assert objects(beta()) == objects(alpha())


def test_the_rollout_is_steered_by_the_pods_annotations_or_the_graphs() -> None:
    recreate = {"nvidia.com/deployment-strategy": "Recreate"}
    of_pod, of_graph = beta(), beta()
    of_pod["spec"]["components"][2]["podTemplate"]["metadata"]["annotations"] = recreate
    of_graph["spec"]["annotations"] = recreate
    for graph, others in ((of_pod, "RollingUpdate"), (of_graph, "Recreate")):
        assert deployment(graph, f"toy-decode-{HASH}")["spec"]["strategy"]["type"] == "Recreate"
        assert deployment(graph, "toy-frontend")["spec"]["strategy"]["type"] == others


def test_an_accepted_graph_may_scale_and_may_not_lose_a_component() -> None:
    old = beta()
    as_stored = converted(old, V1ALPHA1)
    assert refusal(converted(beta(replicas=3), V1ALPHA1), old=as_stored) is None
    without = copy.deepcopy(old)
    del without["spec"]["components"][1]
    assert "services removed: [Frontend]" in (refusal(converted(without, V1ALPHA1), old=as_stored) or "")


def test_the_status_counts_components_in_one_version_and_services_in_the_other() -> None:
    counts = {"componentKind": "Deployment", "componentNames": ["toy-decode-old", "toy-decode-new"]}
    rolling = {"phase": "InProgress", "updatedComponents": ["Decode"]}
    graph = beta() | {"status": {"components": {"Decode": counts}, "rollingUpdate": rolling}}
    status = converted(graph, V1ALPHA1)["status"]
    assert status["services"]["Decode"]["componentName"] == "toy-decode-new"
    assert status["rollingUpdate"]["updatedServices"] == ["Decode"]
    assert read(graph)["status"] == graph["status"]


@pytest.mark.parametrize("size", ["0", "16Gi"])
def test_order_read_only_mounts_and_containers_of_v1beta1_survive_being_stored(size: str) -> None:
    graph = beta(sharedMemorySize=size)
    template = graph["spec"]["components"][2]["podTemplate"]["spec"]
    template["containers"][0]["volumeMounts"][0]["readOnly"] = True
    template["containers"].insert(0, {"name": "helper", "image": "x"})
    assert read(graph)["spec"] == graph["spec"]


def test_a_v1alpha1_graph_that_v1beta1_writes_back_is_what_it_was() -> None:
    graph = alpha()
    graph["spec"]["pvcs"] = [{"name": "cache"}]
    graph["spec"]["services"]["Decode"] |= {
        "annotations": {"a": "b"},
        "labels": {"c": "d"},
        "volumeMounts": [{"name": "cache", "mountPoint": "/a"}],
    }
    seen = converted(graph, V1BETA1)
    seen["metadata"]["annotations"]["x"] = "y"
    seen["status"] = {"state": "pending"}
    assert converted(seen, V1ALPHA1)["spec"] == graph["spec"]


def test_the_conversion_webhook_answers_every_object_or_says_why_not() -> None:
    def review(api_version: str, *graphs: Any) -> Any:
        request = {"uid": "1", "desiredAPIVersion": api_version, "objects": graphs}
        kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}
        return convert(kind | {"request": request})["response"]

    answer = review(V1ALPHA1, alpha(), beta())
    assert (answer["uid"], answer["result"]) == ("1", {"status": "Success"})
    assert [each["apiVersion"] for each in answer["convertedObjects"]] == [V1ALPHA1, V1ALPHA1]
    assert review("nvidia.com/v2", alpha())["result"]["status"] == "Failed"


def test_a_graph_without_metadata_is_converted_to_one_without_which_the_api_server_refuses() -> None:
    """Seen with the operator of the 1.2 line: v1beta1 applied over a graph that was applied as v1alpha1."""
    pruned = {"apiVersion": V1ALPHA1, "kind": "DynamoGraphDeployment", "spec": {}}
    assert "metadata" not in converted(pruned, V1BETA1)
