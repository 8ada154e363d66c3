"""What was measured of the layouts that the shipped stacks make, as README says it."""

import pytest

from recipes.load import load_recipe
from sizing.of_recipe import layout_of, measured
from stacks.stack_files import list_stacks
from tests.cli.command import ROOT
from tests.support.shipped_stacks import shipped_stack

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list_stacks(ROOT))
def test_readme_says_what_was_measured_of_the_layout_of_each_stack(name: str) -> None:
    stack = shipped_stack(name)
    gpus = sorted({each.pool.instance_type.accelerator.name for each in stack.pools if each.used_gpus})
    runs = [run for gpu in gpus if (run := measured(stack.serving.placed.recipe, gpu)) is not None]
    said = [f"{run.tokens_per_second_per_gpu:,.0f} at {run.tpot_ms:.0f} ms" for run in runs] or ["nobody"]
    [row] = [line for line in README.splitlines() if line.startswith(f"| [Pulumi.{name}.yaml]")]
    assert row.split("|")[-2].strip() == said[0]


def test_two_prefill_and_two_decode_workers_are_twice_the_layout_of_one_each() -> None:
    recipe = load_recipe("gpt-oss-120b/trtllm-disagg")
    twice = tuple(
        each if each.role == "frontend" else each.model_copy(update={"replicas": 2})
        for each in recipe.services
    )
    assert layout_of(recipe.model_copy(update={"services": twice})) == layout_of(recipe)
    assert str(layout_of(recipe)) == "1 prefill TP1 + 1 decode TP4"


def test_nothing_of_another_model_is_taken_for_it() -> None:
    assert measured(load_recipe("gpt-oss-20b/trtllm-agg"), "B200") is None
    # The same layout, of the model that was measured.
    assert str(layout_of(load_recipe("gpt-oss-20b/trtllm-agg"))) == "TP1"


def test_the_stack_for_gb200_was_measured_at_more_than_twice_the_published_recipe() -> None:
    ours, published = (
        measured(load_recipe(name), "GB200")
        for name in ("gpt-oss-120b/trtllm-disagg-one-pod", "gpt-oss-120b/trtllm-disagg")
    )
    assert ours is not None
    assert published is not None
    assert ours.tokens_per_second_per_gpu >= 2.3 * published.tokens_per_second_per_gpu
    # Which of the two is faster on B200 nobody knows.
    assert measured(load_recipe("gpt-oss-120b/trtllm-disagg"), "B200") is None
