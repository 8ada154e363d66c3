"""What starts a new generation of workers; test_comparable_graph of tests/stacks asks of whole stacks."""

from __future__ import annotations

from typing import Any

import pytest

from lab.dynamo_operator.generations import desired_hashes
from tests.lab.dynamo_operator.built import read
from tests.lab.fixtures.graphs import toy_graph

VARIABLES = [{"name": "A", "value": "1"}]


@pytest.mark.parametrize(
    ("service", "fields", "changed"),
    [
        ("Decode", {"replicas": 3}, (False, False)),
        ("Decode", {"annotations": {"a": "b"}}, (False, True)),
        ("Decode", {"extraPodMetadata": {"annotations": {"a": "b"}}}, (True, True)),
        ("Decode", {"envs": VARIABLES}, (True, True)),
        ("Frontend", {"envs": VARIABLES, "annotations": {"a": "b"}}, (False, False)),
    ],
)
def test_what_is_changed_in_a_v1alpha1_service_changes_the_hashes_of_workers_pods(
    service: str, fields: dict[str, Any], changed: tuple[bool, bool]
) -> None:
    graph = toy_graph()
    graph["spec"]["services"][service] |= fields
    before = desired_hashes(read(toy_graph()))
    after = desired_hashes(read(graph))
    assert (before.v1 != after.v1, before.v2 != after.v2) == changed
