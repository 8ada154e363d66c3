"""How long a prompt a recipe takes, and what decides it."""

from engines.tensorrt_llm.options import EngineSettings
from recipes.load import load_recipe
from recipes.overrides import overridden

NAME, AGGREGATED = "gpt-oss-120b/trtllm-disagg", "gpt-oss-120b/trtllm-agg"


def test_the_longest_prompt_of_a_recipe_is_what_its_workers_admit() -> None:
    aggregated, disaggregated = load_recipe(AGGREGATED), load_recipe(NAME)
    assert (aggregated.longest_prompt, aggregated.longest_sequence) == (131_071, 131_072)
    assert (disaggregated.longest_prompt, disaggregated.longest_sequence) == (8_999, 11_000)


def test_without_chunks_the_longest_prompt_is_one_step_of_the_engine() -> None:
    whole = overridden(load_recipe(AGGREGATED), {"worker": EngineSettings(enable_chunked_prefill=False)})
    assert whole.longest_prompt == 8_192


def test_a_prompt_leaves_room_for_a_token_of_its_answer_in_both_workers() -> None:
    recipe = load_recipe(NAME)
    shorter = overridden(recipe, {"prefill": EngineSettings(max_seq_len=8_500)})
    assert shorter.longest_prompt == 8_499
    longer = overridden(recipe, {"prefill": EngineSettings(max_seq_len=12_000)})
    assert longer.longest_prompt == longer.longest_sequence - 1 == 10_999
