"""What is warned about, and what is filled in."""

from __future__ import annotations

import base64
import json

import pytest

from lab.dynamo_operator.admission.review import mutate
from tests.lab.dynamo_operator.reviews import PLAIN, SERVICE, Change, annotated, answer, decode, review
from tests.lab.fixtures.graphs import toy_graph


def test_fields_that_do_nothing_are_warned_about() -> None:
    warnings = answer(decode(dynamoNamespace="mine", autoscaling={"enabled": True}))["warnings"]
    assert [warning.split(" is deprecated")[0] for warning in warnings] == [
        f"{SERVICE}.dynamoNamespace",
        f"{SERVICE}.autoscaling",
    ]
    assert "'mine' will be replaced with 'demo-toy'" in warnings[0]


def patched(graph: Change) -> list[Change]:
    response = mutate(review(graph), PLAIN)["response"]
    assert response["allowed"] is True
    return json.loads(base64.b64decode(response["patch"])) if "patch" in response else []


def test_one_replica_and_the_origin_version_are_filled_in() -> None:
    graph = toy_graph()
    del graph["spec"]["services"]["Prefill"]["replicas"]
    assert patched(graph) == [
        {"op": "add", "path": "/spec/services/Prefill/replicas", "value": 1},
        {"op": "add", "path": "/metadata/annotations", "value": {}},
        {
            "op": "add",
            "path": "/metadata/annotations/nvidia.com~1dynamo-operator-origin-version",
            "value": "1.2.1",
        },
    ]


@pytest.mark.parametrize("field", ["replicas", "annotation"])
def test_what_is_given_is_kept(field: str) -> None:
    graph = annotated(dynamo_operator_origin_version="1.0.0") if field == "annotation" else toy_graph()
    paths = [change["path"] for change in patched(graph)]
    assert not any("replicas" in path for path in paths)
    assert any("origin-version" in path for path in paths) == (field == "replicas")


def test_other_annotations_survive_the_defaulting() -> None:
    graph = annotated(enable_metrics="false")
    assert [change["path"] for change in patched(graph)] == [
        "/metadata/annotations/nvidia.com~1dynamo-operator-origin-version"
    ]
