"""The tables of differences are computed, and each difference is told of by a correction."""

import pytest

from recipes.document import recipe_document
from recipes.load import load_recipe, recipe_names
from recipes.published_values import compared_values
from tests.recipes.test_published_settings import TABLES

COMPARED = [name for name in recipe_names() if compared_values(load_recipe(name))]


def test_every_corrected_recipe_is_compared_with_what_was_published() -> None:
    corrected = {name for name in recipe_names() if load_recipe(name).corrections}
    # Of these two the whole graph is compared.
    assert {*COMPARED} == corrected - {*TABLES}


@pytest.mark.parametrize("name", COMPARED)
def test_a_value_differs_where_a_correction_says_so_and_nowhere_else(name: str) -> None:
    listed = {correction.id for correction in load_recipe(name).corrections}
    for value in compared_values(load_recipe(name)):
        assert value.differs == bool(value.corrections), value
        assert {*value.corrections} <= listed, value


def test_a_value_that_somebody_changes_stands_on_the_page_at_once() -> None:
    recipe = load_recipe("gpt-oss-120b/trtllm-disagg-8gpu")
    benchmark = recipe.benchmark.model_copy(update={"random_seed": 7})
    line = "- no correction: `aiperf --random-seed`"
    assert line not in recipe_document(recipe)
    assert line in recipe_document(recipe.model_copy(update={"benchmark": benchmark}))


def test_what_is_written_on_one_side_alone_is_told_of_too() -> None:
    page = recipe_document(load_recipe("gpt-oss-120b/vllm-disagg"))
    assert "- W4: `prefill --is-prefill-worker`, `" in page
    assert "- W8: `prefill, decode --max-num-seqs`" in page
