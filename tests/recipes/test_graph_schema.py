"""Graphs against the operator's own schema."""

from typing import Any

import pytest
from hypothesis import given, settings

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.placed import PlacedRecipe
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


def _spec(placed: PlacedRecipe) -> dict[str, Any]:
    return graph_spec(placed, engine_files(placed).name)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_operators_schema_takes_every_field_and_drops_none(example: str) -> None:
    assert schema_errors(_spec(EXAMPLES[example])) == []


@settings(deadline=None, max_examples=20)
@given(placed=placed_recipes())
def test_nothing_in_a_graph_is_taken_for_a_variable_by_flux(placed: PlacedRecipe) -> None:
    assert "${" not in str(_spec(placed))
    assert "${" not in str(engine_files(placed).data)


@pytest.mark.parametrize(
    ("example", "types"),
    [
        ("disaggregated over tcp", ["frontend", "prefill", "decode"]),
        ("aggregated", ["frontend", "worker"]),
        ("one pod", ["frontend", "worker"]),
    ],
)
def test_a_component_has_its_role_as_type_and_prefill_and_decode_of_one_pod_are_one_worker(
    example: str, types: list[str]
) -> None:
    assert [component["type"] for component in _spec(EXAMPLES[example])["components"]] == types
