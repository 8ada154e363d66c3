"""What becomes of a Dynamo graph for one changed field."""

from __future__ import annotations

from typing import Any

from comparison.changes import Operation
from comparison.resources import compare
from resource_graph.urns import make_urn
from tests.comparison.resources_of_tests import changed, effects, kubernetes_object, said

_OWN = make_urn(
    stack="dev", project="toy", parent=None, resource_type="dynamo-stack:components:DynamoGraph", name="graph"
)


def _component(name: str, kind: str, **more: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "runtime:1", "args": [f"exec serve --mode {name}"]}
    return {"name": name, "type": kind, "podTemplate": {"spec": {"containers": [container]}}, **more}


def _graph(parent: str | None = None, **spec: Any) -> Any:
    components = [_component("Frontend", "frontend"), _component("Decode", "decode", replicas=2)]
    return kubernetes_object(
        "nvidia.com/v1beta1",
        "DynamoGraphDeployment",
        "graph",
        parent=parent,
        spec={"backendFramework": "trtllm", "components": components, **spec},
    )


def _image(inputs: dict[str, Any], component: int) -> None:
    template = inputs["spec"]["components"][component]["podTemplate"]
    template["spec"]["containers"][0]["image"] = "runtime:2"


def test_another_image_of_one_worker_restarts_all_workers() -> None:
    found = changed(_graph(), lambda inputs: _image(inputs, 1))
    assert effects(found) == {"spec components Decode podTemplate spec containers main image": "rolls pods"}
    assert found.reasons == ("Another template of one worker restarts all workers of the graph.",)


def test_another_image_of_the_frontend_restarts_no_worker() -> None:
    found = changed(_graph(), lambda inputs: _image(inputs, 0))
    assert list(effects(found).values()) == ["rolls pods"]
    assert found.reasons == ()


def test_more_replicas_restart_nothing() -> None:
    found = changed(_graph(), lambda inputs: inputs["spec"]["components"][1].update(replicas=3))
    assert effects(found) == {"spec components Decode replicas": "in place"}


def test_services_in_another_order_are_no_change() -> None:
    graph = _graph()
    assert compare([graph], [_graph(components=graph.inputs["spec"]["components"][::-1])]) == ()


def test_another_engine_is_refused_by_the_webhook() -> None:
    found = changed(_graph(), lambda inputs: inputs["spec"].update(backendFramework="sglang"))
    assert found.is_refused
    assert found.reasons == ("The webhook refuses to change spec.backendFramework of a graph that exists.",)


def _rename(inputs: dict[str, Any]) -> None:
    inputs["spec"]["components"][1]["name"] = "Worker"


def test_another_set_of_services_is_refused_by_the_webhook() -> None:
    found = changed(_graph(), _rename)
    assert (found.operation, found.is_refused) == (Operation.UPDATE, True)
    assert set(effects(found)) == {"spec components Worker", "spec components Decode"}


def test_this_projects_program_makes_the_graph_again_for_another_set_of_services() -> None:
    found = changed(_graph(_OWN), _rename)
    assert (found.operation, found.deletes_first, found.is_refused) == (Operation.REPLACE, True, False)
    assert "Service Worker comes, which the webhook refuses: the graph is made again." in found.reasons


def test_variables_of_the_whole_graph_restart_all_pods() -> None:
    found = changed(_graph(), lambda inputs: inputs["spec"].update(envs=[{"name": "A", "value": "1"}]))
    assert effects(found) == {"spec envs": "rolls pods"}


def _services(image: str) -> dict[str, Any]:
    pod = {"mainContainer": {"image": image, "args": ["exec serve --mode Decode"]}}
    worker = {"componentType": "worker", "subComponentType": "decode", "replicas": 2, "extraPodSpec": pod}
    frontend_pod = {"mainContainer": {"image": "runtime:1", "args": ["exec serve --mode Frontend"]}}
    frontend = {"componentType": "frontend", "extraPodSpec": frontend_pod}
    return {"backendFramework": "trtllm", "services": {"Frontend": frontend, "Decode": worker}}


def _old_graph(image: str, parent: str | None) -> Any:
    return kubernetes_object(
        "nvidia.com/v1alpha1", "DynamoGraphDeployment", "graph", parent=parent, spec=_services(image)
    )


def test_a_graph_under_another_version_is_one_object_compared_in_the_words_of_the_newer() -> None:
    (found,) = compare([_graph(_OWN)], [_old_graph("runtime:2", _OWN)])
    assert (found.operation, found.deletes_first) == (Operation.REPLACE, True)
    assert said(found.fields) == [
        "apiVersion: 'nvidia.com/v1beta1' -> 'nvidia.com/v1alpha1'",
        "spec components Decode podTemplate spec containers main image: 'runtime:1' -> 'runtime:2'",
    ]


def test_somebody_elses_graph_under_another_version_is_refused() -> None:
    (found,) = compare([_old_graph("runtime:1", None)], [_graph()])
    assert (found.operation, found.is_refused) == (Operation.UPDATE, True)


def test_a_worker_of_the_older_version_restarts_for_its_image() -> None:
    (found,) = compare([_old_graph("runtime:1", None)], [_old_graph("runtime:2", None)])
    assert list(effects(found).values()) == ["rolls pods"]
    assert found.reasons == ("Another template of one worker restarts all workers of the graph.",)


def test_a_graph_in_another_namespace_is_made_before_the_old_one_goes() -> None:
    found = changed(_graph(_OWN), lambda inputs: inputs["metadata"].update(namespace="other"))
    assert (found.operation, found.deletes_first) == (Operation.REPLACE, False)
