"""Graphs in v1alpha1 and v1beta1 where they say what no recorded one says: nothing is lost on the way."""

from typing import Any

from lab.dynamo_operator.conversion import V1ALPHA1, V1BETA1, converted
from tests.lab.dynamo_operator.built import objects
from tests.lab.fixtures.graphs import toy_graph, worker

PROBE = {"httpGet": {"path": "/ready", "port": "system"}}
ROLE = [{"name": "ROLE", "value": "decode"}]
MAIN = {
    "image": "registry.example/worker:1.2.1",
    "startupProbe": PROBE,
    "volumeMounts": [{"name": "cache", "mountPath": "/models"}],
}


def alpha(**fields: Any) -> dict[str, Any]:
    """A graph whose decode worker says as much of itself as of its container."""
    said: dict[str, Any] = {
        "replicas": 2,
        "sharedMemory": {"size": "80Gi"},
        "envs": ROLE,
        "readinessProbe": PROBE,
        "extraPodMetadata": {"labels": {"team": "a"}, "annotations": {"note": "b"}},
        "extraPodSpec": {"mainContainer": MAIN},
    }
    return toy_graph(Decode=worker("decode", "4", **said, **fields))


def beta() -> dict[str, Any]:
    """The same in v1beta1, not in the order of the alphabet."""
    graph = converted(alpha(), V1BETA1)
    graph["metadata"].pop("annotations")
    graph["spec"]["components"].reverse()
    return graph


def specs(graph: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {name: each.get("spec") for name, each in objects(graph).items()}


def test_what_a_service_says_of_its_container_is_in_its_component_s_pod_template() -> None:
    decode = beta()["spec"]["components"][2]
    assert (decode["name"], decode["type"], decode["sharedMemorySize"]) == ("Decode", "decode", "80Gi")
    assert decode["podTemplate"]["metadata"] == {"labels": {"team": "a"}, "annotations": {"note": "b"}}
    own = {"name": "main", "env": ROLE, "readinessProbe": PROBE}
    limits = {"resources": {"limits": {"nvidia.com/gpu": "4"}}}
    assert decode["podTemplate"]["spec"]["containers"] == [MAIN | own | limits]
    assert specs(beta()) == specs(alpha())


def test_a_v1alpha1_graph_that_v1beta1_writes_back_is_what_it_was() -> None:
    graph = alpha(annotations={"a": "b"}, volumeMounts=[{"name": "cache", "mountPoint": "/a"}])
    graph["spec"]["pvcs"] = [{"name": "cache"}]
    seen = converted(graph, V1BETA1)
    seen["metadata"]["annotations"]["x"] = "y"
    assert converted(seen, V1ALPHA1)["spec"] == graph["spec"]


def test_a_graph_without_metadata_is_converted_to_one_without_which_the_api_server_refuses() -> None:
    """Seen with the operator of the 1.2 line: v1beta1 applied over a graph that was applied as v1alpha1."""
    pruned = {"apiVersion": V1ALPHA1, "kind": "DynamoGraphDeployment", "spec": {}}
    assert "metadata" not in converted(pruned, V1BETA1)
