"""What starts a new generation of workers; test_comparable_graph of tests/stacks asks of whole stacks."""

from typing import Any

import pytest

from lab.dynamo_operator.generations import desired_hash
from tests.lab.dynamo_operator.built import read
from tests.lab.fixtures.graphs import toy_graph

VARIABLES = [{"name": "A", "value": "1"}]


@pytest.mark.parametrize(
    ("service", "fields", "changed"),
    [
        ("Decode", {"replicas": 3}, False),
        ("Decode", {"annotations": {"a": "b"}}, True),
        ("Decode", {"extraPodMetadata": {"annotations": {"a": "b"}}}, True),
        ("Decode", {"envs": VARIABLES}, True),
        ("Frontend", {"envs": VARIABLES, "annotations": {"a": "b"}}, False),
    ],
)
def test_what_is_changed_in_a_v1alpha1_service_changes_the_hash_of_workers_pods(
    service: str, fields: dict[str, Any], changed: bool
) -> None:
    graph = toy_graph()
    graph["spec"]["services"][service] |= fields
    assert (desired_hash(read(toy_graph())) != desired_hash(read(graph))) is changed
