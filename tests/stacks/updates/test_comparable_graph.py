"""What a graph's pods are made from, compared as the operator compares it."""

from typing import Any

import pytest

from lab.dynamo_operator.conversion import GRAPH, V1BETA1, converted
from lab.dynamo_operator.generations import desired_hash
from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.placed import GraphApi
from stacks.updates.comparable_graph import Graph, read_graph
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
from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings, resolved

EVERY_VERSION = pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])


def _spec(settings: Settings, version: GraphApi) -> dict[str, Any]:
    placed = resolved(settings).serving.placed
    return graph_spec(placed, engine_files(placed).name, version)


def _operators_hash(settings: Settings, version: GraphApi) -> str:
    metadata = {"name": "graph", "namespace": "models"}
    manifest = {"apiVersion": f"nvidia.com/{version}", "kind": GRAPH, "metadata": metadata}
    return desired_hash(converted(manifest | {"spec": _spec(settings, version)}, V1BETA1))


def _graph(settings: Settings, version: GraphApi) -> Graph:
    return read_graph("graph", "models", _spec(settings, version))


@EVERY_VERSION
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
def test_workers_are_the_same_exactly_when_the_operator_says_so(change: Change, version: GraphApi) -> None:
    before = disagg_b200_settings()
    after = changed(before, change)
    same = _operators_hash(before, version) == _operators_hash(after, version)
    assert _graph(before, version).makes_same_workers(_graph(after, version)) == same


@EVERY_VERSION
def test_sizes_places_strategies_and_neighbours_are_read_from_both_versions(version: GraphApi) -> None:
    graph = _graph(disagg_gb200_settings(), version)
    read = {service.name: service for service in graph.workers}
    for worker in resolved(disagg_gb200_settings()).serving.placed.workers:
        service = read.pop(worker.name)
        assert worker.placement
        assert (service.gpus, service.replicas) == (worker.gpus, worker.replicas)
        assert service.node_selector == worker.placement.node_selector
        assert service.strategy == worker.placement.rollout.strategy
        assert service.neighbours["claims"]
    assert read == {}
    assert [service.name for service in graph.others] == ["Frontend"]
