from typing import Any

import pytest

from recipes.load import load_recipe
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, problems_of, resolved


def _overridden(**overrides: Any) -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["serving"]["overrides"] = overrides
    return settings


def test_an_override_changes_one_option_of_one_role() -> None:
    recipe = resolved(_overridden(decode={"max_batch_size": 640})).serving.placed.recipe
    published = load_recipe(recipe.name)
    assert recipe.engine_of("decode").max_batch_size == 640
    assert recipe.engine_of("decode").max_num_tokens == published.engine_of("decode").max_num_tokens
    assert recipe.engine_of("prefill") == published.engine_of("prefill")


def test_parallelism_that_is_overridden_changes_what_is_placed() -> None:
    stack = resolved(_overridden(decode={"tensor_parallel_size": 2}))
    assert {worker.role: worker.gpus for worker in stack.serving.placed.workers} == {
        "prefill": 1,
        "decode": 2,
    }
    assert stack.pools[0].used_gpus == 3


@pytest.mark.parametrize(
    ("overrides", "key", "value", "message"),
    [
        (
            {"decode": {"moe_expert_parallel_size": 3}},
            "serving.overrides.decode.moe_expert_parallel_size",
            3,
            "must divide tensor_parallel_size 4: write one of 1, 2, 4",
        ),
        (
            {"prefill": {"cache_transceiver_config": {"max_tokens_in_buffer": 9217}}},
            "serving.overrides.prefill.cache_transceiver_config.max_tokens_in_buffer",
            9217,
            "must be a multiple of tokens_per_block",
        ),
        ({"worker": {"max_seq_len": 3}}, "serving.overrides.worker", None, "has no role worker"),
        (
            {"prefill": {"kv_cache_config": {"dtype": "auto"}}},
            "serving.overrides",
            None,
            "KV cache of auto cannot be read by a decode worker with fp8",
        ),
    ],
)
def test_an_override_that_the_engine_would_refuse_is_refused_at_its_option(
    overrides: dict[str, Any], key: str, value: object, message: str
) -> None:
    [problem] = problems_of(_overridden(**overrides))
    assert (problem.key, problem.value) == (key, value)
    assert message in problem.message


def test_an_override_that_is_wrong_hides_no_other_mistake() -> None:
    settings = _overridden(decode={"moe_expert_parallel_size": 3})
    settings["serving"]["replicas"] = {"decode": 9}
    keys = {problem.key for problem in problems_of(settings)}
    assert keys == {"serving.overrides.decode.moe_expert_parallel_size", "serving.replicas"}


def test_the_worker_of_an_aggregated_recipe_takes_overrides() -> None:
    settings = agg_gb200_settings()
    settings["serving"]["overrides"] = {"worker": {"stream_interval": 5}}
    assert resolved(settings).serving.placed.recipe.engine_of("worker").stream_interval == 5
