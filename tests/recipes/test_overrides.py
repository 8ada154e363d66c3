"""Engine options of a stack's settings over those of a recipe."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from engines.tensorrt_llm.engine import TensorRtLlm
from engines.tensorrt_llm.options import EngineSettings
from recipes.load import load_recipe
from recipes.merging import dotted_options
from recipes.overrides import OverrideError, overridden

AGGREGATED, DISAGGREGATED = load_recipe("gpt-oss-120b/trtllm-agg"), load_recipe("gpt-oss-120b/trtllm-disagg")


def _settings(**options: Any) -> EngineSettings:
    return EngineSettings.model_validate(options)


def _engine(recipe: Any, role: Any) -> dict[str, Any]:
    return dict(dotted_options(yaml.safe_load(TensorRtLlm().engine_file(recipe.engine_of(role)))))


# What may be changed at will: nothing else depends on these.
FREE = {
    "max_batch_size": st.integers(1, 4096),
    "stream_interval": st.integers(1, 100),
    "print_iter_log": st.booleans(),
    "enable_chunked_prefill": st.booleans(),
    "kv_cache_config": st.fixed_dictionaries(
        {},
        optional={
            "free_gpu_memory_fraction": st.floats(0.1, 0.9),
            "enable_block_reuse": st.booleans(),
            "host_cache_size": st.integers(0, 1 << 40),
            "extra": st.fixed_dictionaries({}, optional={"use_uvm": st.booleans()}),
        },
    ),
    "scheduler_config": st.fixed_dictionaries(
        {}, optional={"capacity_scheduler_policy": st.sampled_from(["MAX_UTILIZATION", "STATIC_BATCH"])}
    ),
    "extra": st.fixed_dictionaries({}, optional={"attn_backend": st.text(max_size=5)}),
}


@given(options=st.fixed_dictionaries({}, optional=FREE))
def test_only_the_named_options_of_the_named_role_change(options: dict[str, Any]) -> None:
    changed = overridden(AGGREGATED, {"worker": _settings(**options)})
    before, after = _engine(AGGREGATED, "worker"), _engine(changed, "worker")
    named = {key.replace("extra.", ""): value for key, value in dotted_options(options)}
    assert after == before | named
    assert changed.services[0] == AGGREGATED.services[0]
    assert changed.model_copy(update={"services": AGGREGATED.services}) == AGGREGATED


def test_null_takes_the_recipes_value_away() -> None:
    changed = overridden(AGGREGATED, {"worker": _settings(max_batch_size=None)})
    assert "max_batch_size" not in _engine(changed, "worker")
    assert changed.engine_of("worker").effective_max_batch_size == 2048


def test_a_prompt_leaves_room_for_a_token_of_its_answer_in_both_workers() -> None:
    shorter = overridden(DISAGGREGATED, {"prefill": _settings(max_seq_len=8_500)})
    longer = overridden(DISAGGREGATED, {"prefill": _settings(max_seq_len=12_000)})
    assert (shorter.longest_prompt, longer.longest_prompt) == (8_499, 10_999)


def test_the_benchmark_never_asks_for_more_than_the_changed_engines_run() -> None:
    changed = overridden(AGGREGATED, {"worker": _settings(max_batch_size=100)})
    assert (AGGREGATED.benchmark_concurrency, changed.benchmark_concurrency) == (3200, 400)


@pytest.mark.parametrize(
    ("recipe", "role", "options", "said"),
    [
        (
            AGGREGATED,
            "worker",
            {"tensor_parallel_size": 2},
            "moe_expert_parallel_size 4 must divide tensor_parallel_size 2: write one of 1, 2",
        ),
        (
            DISAGGREGATED,
            "decode",
            {"kv_cache_config": {"dtype": "auto"}},
            "KV cache of fp8 cannot be read by a decode worker with auto",
        ),
        (
            AGGREGATED,
            "worker",
            {"cuda_graph_config": {"batch_sizes": (1, 2, 4)}},
            "write max_batch_size: 4, or only one of the two (null removes one)",
        ),
        (
            AGGREGATED,
            "worker",
            {"tensor_parallel_size": None},
            "tensor_parallel_size: Input should be a valid integer",
        ),
    ],
)
def test_overrides_that_could_not_be_served_say_why(
    recipe: Any, role: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(OverrideError) as raised:
        overridden(recipe, {role: _settings(**options)})
    assert said in str(raised.value)
    assert "validation error" not in str(raised.value)
