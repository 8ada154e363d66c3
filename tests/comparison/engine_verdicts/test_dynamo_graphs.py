"""What becomes of a Dynamo graph for one changed field."""

from typing import Any

import pytest

from resource_graph import Resource
from resource_graph.urns import make_urn
from tests.comparison.resources_of_tests import kubernetes_object, said_of

_OWN = make_urn(
    stack="dev", project="toy", parent=None, resource_type="dynamo-stack:components:DynamoGraph", name="graph"
)


def _component(name: str, kind: str, **more: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "runtime:1", "args": [f"exec serve --mode {name}"]}
    return {"name": name, "type": kind, "podTemplate": {"spec": {"containers": [container]}}, **more}


def _graph(version: str, parent: str | None, **spec: Any) -> Any:
    return kubernetes_object(
        f"nvidia.com/{version}",
        "DynamoGraphDeployment",
        "graph",
        parent=parent,
        spec={"backendFramework": "trtllm", **spec},
    )


_COMPONENTS = [_component("Frontend", "frontend"), _component("Decode", "decode", replicas=2)]
_ANYBODYS, _OURS = (_graph("v1beta1", parent, components=_COMPONENTS) for parent in (None, _OWN))
_IMAGE = "podTemplate/spec/containers/0/image"
_CHANGES: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    "another image of one worker restarts all workers": (
        _ANYBODYS,
        {f"spec/components/1/{_IMAGE}": "runtime:2"},
        [
            "updated: DynamoGraphDeployment serving/graph",
            "# Another template of one worker restarts all workers of the graph.",
            "@@ spec.components.Decode.podTemplate.spec.containers.main.image (rolls pods) @@",
            "- runtime:1",
            "+ runtime:2",
        ],
    ),
    "another image of the frontend restarts no worker": (
        _ANYBODYS,
        {f"spec/components/0/{_IMAGE}": "runtime:2"},
        [
            "updated: DynamoGraphDeployment serving/graph",
            "@@ spec.components.Frontend.podTemplate.spec.containers.main.image (rolls pods) @@",
            "- runtime:1",
            "+ runtime:2",
        ],
    ),
    "more replicas restart nothing": (
        _ANYBODYS,
        {"spec/components/1/replicas": 3},
        [
            "updated: DynamoGraphDeployment serving/graph",
            "@@ spec.components.Decode.replicas @@",
            "- 2",
            "+ 3",
        ],
    ),
    "services in another order are no change": (_ANYBODYS, {"spec/components": _COMPONENTS[::-1]}, []),
    "another engine is refused by the webhook": (
        _ANYBODYS,
        {"spec/backendFramework": "sglang"},
        [
            "updated; refused: DynamoGraphDeployment serving/graph",
            "@@ spec.backendFramework (refused by the API server) @@",
            "- trtllm",
            "+ sglang",
        ],
    ),
    "variables of the whole graph restart all pods": (
        _ANYBODYS,
        {"spec/envs": [{"name": "A", "value": "1"}]},
        [
            "updated: DynamoGraphDeployment serving/graph",
            "@@ spec.envs (rolls pods) @@",
            '+ [{"name": "A", "value": "1"}]',
        ],
    ),
    "a graph in another namespace is made before the old one goes": (
        _OURS,
        {"metadata/namespace": "other"},
        [
            "replaced: DynamoGraphDeployment other/graph",
            "@@ metadata.namespace (replaces) @@",
            "- serving",
            "+ other",
        ],
    ),
    # Its operator hashes what is written.
    "a default in the template of a worker restarts it": (
        _ANYBODYS,
        {"spec/components/1/podTemplate/spec/restartPolicy": "Always"},
        [
            "updated: DynamoGraphDeployment serving/graph",
            "# Another template of one worker restarts all workers of the graph.",
            "@@ spec.components.Decode.podTemplate.spec.restartPolicy (rolls pods) @@",
            "+ Always",
        ],
    ),
}


@pytest.mark.parametrize("case", _CHANGES)
def test_a_changed_field_says_what_becomes_of_its_graph_and_why(case: str) -> None:
    before, values, words = _CHANGES[case]
    assert said_of(before, values) == words


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (
            _ANYBODYS,
            [
                "updated; refused: DynamoGraphDeployment serving/graph",
                "# Service Worker comes, which the webhook refuses of a graph that exists.",
                "# Service Decode goes, which the webhook refuses of a graph that exists.",
                "@@ spec.components.Worker (refused by the API server) @@",
                "@@ spec.components.Decode (refused by the API server) @@",
            ],
        ),
        (
            _OURS,
            [
                "replaced, the old one first: DynamoGraphDeployment serving/graph",
                "# Service Worker comes, which the webhook refuses: the graph is made again.",
                "# Service Decode goes, which the webhook refuses: the graph is made again.",
                "@@ spec.components.Worker (replaces) @@",
                "@@ spec.components.Decode (replaces) @@",
            ],
        ),
    ],
    ids=["anybody's", "ours"],
)
def test_for_another_set_of_services_only_our_program_makes_the_graph_again(
    graph: Resource, words: list[str]
) -> None:
    found = said_of(graph, {"spec/components/1/name": "Worker"})
    assert [line for line in found if not line.startswith(("+ ", "- "))] == words
