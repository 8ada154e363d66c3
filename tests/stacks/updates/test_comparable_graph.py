"""What a graph's pods are made from, compared as the operator compares it."""

from collections.abc import Callable
from typing import Any

import pytest

from lab.dynamo_operator.conversion import GRAPH, V1BETA1, converted
from lab.dynamo_operator.generations import Hashes, desired_hashes
from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.placed import GraphApi
from stacks.updates.comparable_graph import graph_of, read_graph
from tests.stacks.updates.changes import changed, override, replicas
from tests.support.dev_settings import (
    agg_gb200_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    resolved,
)

VERSIONS: tuple[GraphApi, ...] = ("v1alpha1", "v1beta1")


def _revision(settings: dict[str, Any]) -> None:
    settings["model"] = {"revision": "0" * 40}


def _mirror(settings: dict[str, Any]) -> None:
    settings["imageMirrors"] = {"nvcr.io": "registry.example.com/nvcr"}


def _second_node(settings: dict[str, Any]) -> None:
    # Turns Recreate into RollingUpdate, which stands in annotations.
    settings["nodePools"][0]["nodes"] = 2


def _larger_cache(settings: dict[str, Any]) -> None:
    settings["modelCache"]["size"] = "200Gi"


def _other_cache(settings: dict[str, Any]) -> None:
    settings["model"] = {"source": {"kind": "existingVolume", "claimName": "models"}}
    del settings["modelCache"]


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    override("decode", max_batch_size=512),
    override("prefill", tensor_parallel_size=2),
    replicas(prefill=2),
    replicas(frontend=3),
    _revision,
    _mirror,
    _second_node,
    _larger_cache,
    _other_cache,
]


def _operators_hashes(settings: dict[str, Any], version: GraphApi) -> Hashes:
    placed = resolved(settings).serving.placed
    spec = graph_spec(placed, engine_files(placed).name, version)
    metadata = {"name": "graph", "namespace": "models"}
    manifest = {"apiVersion": f"nvidia.com/{version}", "kind": GRAPH, "metadata": metadata, "spec": spec}
    return desired_hashes(converted(manifest, V1BETA1))


def _graph(settings: dict[str, Any], version: GraphApi) -> Any:
    placed = resolved(settings).serving.placed
    return read_graph("graph", "models", graph_spec(placed, engine_files(placed).name, version))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("change", CHANGES)
def test_workers_are_the_same_exactly_when_the_operator_says_so(
    change: Callable[[dict[str, Any]], object], version: GraphApi
) -> None:
    before = disagg_b200_settings()
    after = changed(before, change)
    same = _operators_hashes(before, version) == _operators_hashes(after, version)
    assert _graph(before, version).makes_same_workers(_graph(after, version)) == same


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("settings", [disagg_b200_settings(), disagg_gb200_settings(), agg_gb200_settings()])
def test_sizes_places_and_strategies_are_read_from_both_versions(
    settings: dict[str, Any], version: GraphApi
) -> None:
    placed = resolved(settings).serving.placed
    graph = _graph(settings, version)
    read = {service.name: service for service in graph.workers}
    assert list(read) == [worker.name for worker in placed.workers]
    for worker in placed.workers:
        service = read[worker.name]
        assert worker.placement
        assert (service.gpus, service.replicas) == (worker.gpus, worker.replicas)
        assert service.node_selector == worker.placement.node_selector
        assert service.strategy == worker.placement.rollout.strategy
    assert [service.name for service in graph.others] == ["Frontend"]


def test_the_demands_of_a_compute_domain_are_seen_in_both_versions() -> None:
    for version in VERSIONS:
        over_tcp = disagg_gb200_settings()
        over_tcp["serving"]["kvTransport"] = "tcp"
        [prefill, *_] = _graph(disagg_gb200_settings(), version).workers
        assert prefill.neighbours["claims"]
        assert prefill.neighbours != _graph(over_tcp, version).workers[0].neighbours


def test_the_wanted_graph_is_the_one_that_is_registered() -> None:
    graph = graph_of(resolved(disagg_b200_settings()))
    assert (graph.name, graph.namespace) == ("gpt-oss-disagg", "gpt-oss")
    assert graph.address == "gpt-oss-disagg-frontend.gpt-oss.svc.cluster.local:8000"
