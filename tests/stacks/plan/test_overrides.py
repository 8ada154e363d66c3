"""Engine options of a stack: over the recipe's, or refused at the option."""

from typing import Any

import pytest

from recipes.load import load_recipe
from tests.stacks.changed_settings import changed, override, replicas, said
from tests.support.dev_settings import disagg_b200_settings, problems_of, resolved

NO_DIVISOR = override("decode", moe_expert_parallel_size=3)


def test_an_override_changes_one_option_of_one_role() -> None:
    settings = changed(disagg_b200_settings(), override("decode", max_batch_size=640))
    recipe = resolved(settings).serving.placed.recipe
    published = load_recipe(recipe.name)
    assert recipe.engine_of("decode").max_batch_size == 640
    assert recipe.engine_of("decode").max_num_tokens == published.engine_of("decode").max_num_tokens
    assert recipe.engine_of("prefill") == published.engine_of("prefill")


def test_parallelism_that_is_overridden_changes_what_is_placed() -> None:
    stack = resolved(changed(disagg_b200_settings(), override("decode", tensor_parallel_size=2)))
    gpus = {worker.role: worker.gpus for worker in stack.serving.placed.workers}
    assert gpus == {"prefill": 1, "decode": 2}
    assert stack.pools[0].used_gpus == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            NO_DIVISOR,
            ".decode.moe_expert_parallel_size = 3\n"
            "  moe_expert_parallel_size 3 must divide tensor_parallel_size 4: write one of 1, 2, 4",
        ),
        (
            override("prefill", cache_transceiver_config={"max_tokens_in_buffer": 9217}),
            ".prefill.cache_transceiver_config.max_tokens_in_buffer = 9217\n"
            "  max_tokens_in_buffer 9217 must be a multiple of tokens_per_block 32: write 9248",
        ),
        (
            override("worker", max_seq_len=3),
            ".worker\n  the recipe gpt-oss-120b/trtllm-disagg has no role worker, only prefill and decode",
        ),
        (
            override("prefill", kv_cache_config={"dtype": "auto"}),
            "\n  KV cache of auto cannot be read by a decode worker with fp8",
        ),
    ],
)
def test_an_override_that_the_engine_would_refuse_is_refused_at_its_option(
    change: dict[str, Any], says: str
) -> None:
    assert said(changed(disagg_b200_settings(), change)) == f"Pulumi.dev.yaml: serving.overrides{says}"


def test_an_override_that_is_wrong_hides_no_other_mistake() -> None:
    keys = [
        problem.key
        for problem in problems_of(changed(disagg_b200_settings(), NO_DIVISOR, replicas(decode=9)))
    ]
    assert keys == ["serving.overrides.decode.moe_expert_parallel_size", "serving.replicas"]
