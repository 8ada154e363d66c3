"""Both API versions of a graph against the operator's own schemas, and against each other."""

from typing import Any

import pytest
from hypothesis import given, settings

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.placed import GraphApi, PlacedRecipe
from tests.support.graph_pods import pods_of
from tests.support.graph_schema import schema_errors
from tests.support.placed_recipes import (
    AGGREGATED,
    EACH_NODE,
    GB200,
    in_one_pod,
    over,
    placed_recipe,
    placed_recipes,
    placement,
)

EXAMPLES: dict[str, PlacedRecipe] = {
    "disaggregated over tcp": over("tcp"),
    "disaggregated over rdma": over("rdma"),
    "disaggregated over efa": over("efa"),
    "disaggregated over mnnvl": over("mnnvl", GB200),
    "aggregated": placed_recipe(AGGREGATED, placement(GB200)),
    "one pod": in_one_pod(),
    "with a copy of the model on each node": placed_recipe(cache_nodes=EACH_NODE),
}
VERSIONS: tuple[GraphApi, ...] = ("v1alpha1", "v1beta1")


def _spec(placed: PlacedRecipe, graph_api: GraphApi) -> dict[str, Any]:
    return graph_spec(placed, engine_files(placed).name, graph_api)


@pytest.mark.parametrize("graph_api", VERSIONS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_operators_schema_takes_every_field_and_drops_none(example: str, graph_api: GraphApi) -> None:
    assert schema_errors(_spec(EXAMPLES[example], graph_api), graph_api) == []


def test_the_schema_would_notice_a_misspelt_field_of_a_pod_in_either_version() -> None:
    alpha, beta = (_spec(over("tcp"), graph_api) for graph_api in VERSIONS)
    alpha["services"]["Frontend"]["extraPodSpec"]["terminationGraceSeconds"] = 1
    beta["components"][0]["podTemplate"]["spec"]["terminationGraceSeconds"] = 1
    for spec, graph_api in ((alpha, "v1alpha1"), (beta, "v1beta1")):
        [error] = schema_errors(spec, graph_api)
        assert "terminationGraceSeconds" in error


@settings(deadline=None, max_examples=60)
@given(placed=placed_recipes())
def test_both_versions_make_the_same_pods(placed: PlacedRecipe) -> None:
    alpha, beta = (pods_of(_spec(placed, graph_api)) for graph_api in VERSIONS)
    assert alpha == beta
    assert list(alpha) == [service.name for service in placed.services]


@settings(deadline=None, max_examples=20)
@given(placed=placed_recipes())
def test_nothing_in_a_graph_is_taken_for_a_variable_by_flux(placed: PlacedRecipe) -> None:
    for graph_api in VERSIONS:
        assert "${" not in str(_spec(placed, graph_api))
    assert "${" not in str(engine_files(placed).data)


def test_v1alpha1_splits_the_role_of_a_worker_and_v1beta1_does_not() -> None:
    services = _spec(over("tcp"), "v1alpha1")["services"]
    kinds = {
        name: (fields["componentType"], fields.get("subComponentType")) for name, fields in services.items()
    }
    assert kinds == {
        "Frontend": ("frontend", None),
        "TrtllmPrefillWorker": ("worker", "prefill"),
        "TrtllmDecodeWorker": ("worker", "decode"),
    }
    components = _spec(over("tcp"), "v1beta1")["components"]
    assert [component["type"] for component in components] == ["frontend", "prefill", "decode"]


def test_an_aggregated_worker_is_a_worker_in_both_versions() -> None:
    aggregated = EXAMPLES["aggregated"]
    worker = _spec(aggregated, "v1alpha1")["services"]["TrtllmWorker"]
    assert worker["componentType"] == "worker"
    assert "subComponentType" not in worker
    assert [item["type"] for item in _spec(aggregated, "v1beta1")["components"]] == ["frontend", "worker"]


def test_prefill_and_decode_of_one_pod_are_one_worker_in_both_versions() -> None:
    worker = _spec(EXAMPLES["one pod"], "v1alpha1")["services"]["TrtllmWorker"]
    assert (worker["componentType"], worker.get("subComponentType")) == ("worker", None)
    assert worker["resources"]["limits"]["gpu"] == "8"
    assert [item["type"] for item in _spec(EXAMPLES["one pod"], "v1beta1")["components"]] == [
        "frontend",
        "worker",
    ]
