"""What starts a new generation of workers, in either version."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from lab.dynamo_operator.generations import Hashes, desired_hashes
from tests.lab.dynamo_operator.built import Manifest, read
from tests.lab.fixtures.graphs import toy_graph, worker


def hashes(graph: Manifest) -> Hashes:
    return desired_hashes(read(graph))


def with_decode(**fields: Any) -> Hashes:
    return hashes(toy_graph(Decode=worker("decode", "4", **fields)))


@pytest.mark.parametrize("fields", [{"replicas": 3}])
def test_replicas_start_no_new_generation(fields: dict[str, Any]) -> None:
    assert with_decode(**fields) == with_decode()


@pytest.mark.parametrize("fields", [{"annotations": {"a": "b"}}, {"labels": {"a": "b"}}])
def test_any_annotation_of_a_v1alpha1_service_starts_one_by_the_second_hash_alone(
    fields: dict[str, Any],
) -> None:
    assert with_decode(**fields).v1 == with_decode().v1
    assert with_decode(**fields).v2 != with_decode().v2


@pytest.mark.parametrize(
    "fields", [{"envs": [{"name": "A", "value": "1"}]}, {"sharedMemory": {"size": "1Gi"}}]
)
def test_a_change_of_one_workers_pod_starts_one_of_all_workers(fields: dict[str, Any]) -> None:
    assert with_decode(**fields).v1 != with_decode().v1
    assert with_decode(**fields).v2 != with_decode().v2


def test_a_change_of_the_frontend_starts_none() -> None:
    graph = toy_graph()
    graph["spec"]["services"]["Frontend"] |= {
        "envs": [{"name": "A", "value": "1"}],
        "annotations": {"a": "b"},
    }
    assert hashes(graph) == hashes(toy_graph())


def test_annotations_of_the_graph_itself_start_none_and_those_of_its_spec_do() -> None:
    graph = toy_graph()
    graph["metadata"]["annotations"] = {"a": "b"}
    assert hashes(graph) == hashes(toy_graph())
    graph["spec"]["annotations"] = {"a": "b"}
    assert hashes(graph).v2 != hashes(toy_graph()).v2


def test_a_v1beta1_graph_is_compared_by_its_pod_templates() -> None:
    graph = read(toy_graph())
    replicas, annotated = copy.deepcopy(graph), copy.deepcopy(graph)
    assert graph["spec"]["components"][0]["name"] == "Decode"
    replicas["spec"]["components"][0]["replicas"] = 5
    annotated["spec"]["components"][0]["podTemplate"]["metadata"] = {"annotations": {"a": "b"}}
    assert hashes(replicas) == hashes(graph)
    assert hashes(annotated) != hashes(graph)
