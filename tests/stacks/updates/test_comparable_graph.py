"""What a graph's pods are made from, compared as the operator compares it."""

import copy
from typing import Any

import pytest

from lab.dynamo_operator.conversion import GRAPH, V1BETA1
from lab.dynamo_operator.generations import desired_hash
from recipes.graph_manifest import graph_spec
from stacks.updates.comparable_graph import graph_of, read_graph
from stacks.updates.running import running_of
from tests.components.recorded import only, recorded
from tests.stacks.changed_settings import (
    LARGER_CACHE,
    MIRROR,
    OTHER_REVISION,
    SECOND_NODE,
    SOMEBODY_ELSES_VOLUME,
    Change,
    Settings,
    changed,
    override,
    replicas,
)
from tests.support.dev_settings import disagg_b200_settings, resolved


def _operators_hash(settings: Settings) -> str:
    metadata = {"name": "graph", "namespace": "models"}
    placed = resolved(settings).serving.placed
    spec = graph_spec(placed)
    return desired_hash({"apiVersion": V1BETA1, "kind": GRAPH, "metadata": metadata, "spec": spec})


@pytest.mark.parametrize(
    "change",
    [
        override("decode", max_batch_size=512),
        override("prefill", tensor_parallel_size=2),
        replicas(prefill=2),
        replicas(frontend=3),
        OTHER_REVISION,
        MIRROR,
        # Turns Recreate into RollingUpdate, which stands in annotations.
        SECOND_NODE,
        LARGER_CACHE,
        SOMEBODY_ELSES_VOLUME,
    ],
)
def test_workers_are_the_same_exactly_when_the_operator_says_so(change: Change) -> None:
    before = disagg_b200_settings()
    after = changed(before, change)
    same = _operators_hash(before) == _operators_hash(after)
    assert graph_of(resolved(before)).makes_same_workers(graph_of(resolved(after))) == same


@pytest.mark.parametrize("named", [{}, {"name": None}, {"name": {"a": 1}}])
def test_a_component_whose_name_is_no_text_is_read_all_the_same(named: dict[str, Any]) -> None:
    [service] = read_graph("graph", "models", {"components": [{**named, "replicas": 2}]}).services.values()
    assert service.replicas == 2


def test_what_the_server_has_added_is_no_change() -> None:
    settings = disagg_b200_settings()
    made = only(recorded(settings), "DynamoGraphDeployment")
    live: Any = copy.deepcopy(dict(made.inputs)) | {"status": {"state": "successful"}}
    for component in live["spec"]["components"]:
        component["minAvailable"] = 1
    wanted = graph_of(resolved(settings))
    [graph] = running_of({made.urn: live | {"__inputs": dict(made.inputs)}}, {}).graphs
    assert graph.makes_same_workers(wanted)
    assert not running_of({made.urn: live}, {}).graphs[0].makes_same_workers(wanted)
