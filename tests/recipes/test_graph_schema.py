"""Graphs against the operator's own schema, as strict as a server-side apply with field validation."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from lab.custom_resources import custom_resource_definition
from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.placed import PlacedRecipe
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
    return graph_spec(placed)


def _schema_errors(spec: dict[str, Any]) -> list[str]:
    """What the API server would refuse or drop of the spec, one line each."""
    errors = _validator().iter_errors({"spec": spec})
    return sorted(f"{'.'.join(str(key) for key in error.path)}: {error.message}" for error in errors)


@cache
def _validator() -> Draft202012Validator:
    definition = custom_resource_definition("dynamographdeployment", "dynamo-1.2", "v1beta1")
    [version] = definition["spec"]["versions"]
    return Draft202012Validator(_strict(version["schema"]["openAPIV3Schema"]))


def _strict(schema: Any) -> Any:
    """The schema in which a field that it does not name is an error: the server drops such a field."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items()}
    open_ended = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object" and not open_ended:
        strict["additionalProperties"] = False
    return strict


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_operators_schema_takes_every_field_and_drops_none(example: str) -> None:
    assert _schema_errors(_spec(EXAMPLES[example])) == []


@settings(deadline=None, max_examples=20)
@given(placed=placed_recipes())
def test_nothing_in_a_graph_is_taken_for_a_variable_by_flux(placed: PlacedRecipe) -> None:
    assert "${" not in str(_spec(placed))
    assert "${" not in str(engine_files(placed)[1])


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
