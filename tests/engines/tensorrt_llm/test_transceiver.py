"""What the KV transport sets in the engine file."""

from typing import Any

import pytest

from engines.tensorrt_llm.engine import TensorRtLlm
from engines.tensorrt_llm.options import TensorRtLlmOptions
from hardware import INSTANCE_TYPES
from recipes.load import load_recipe
from tests.support.placed_recipes import AGGREGATED, DISAGGREGATED, GB200


def _with_tcp(recipe: str, role: Any, version: str) -> tuple[TensorRtLlmOptions, TensorRtLlmOptions]:
    """The recipe's options, and the same with the transport."""
    options = load_recipe(recipe).engine_of(role)
    assert isinstance(options, TensorRtLlmOptions)
    engine = TensorRtLlm()
    profile = engine.kv_profile(
        "tcp", instance_type=INSTANCE_TYPES[GB200], runtime_version=version, roce=False
    )
    return options, engine.with_transport(options, profile)


@pytest.mark.parametrize("role", ["prefill", "decode"])
@pytest.mark.parametrize("version", ["1.2.1", "1.4.2"])
def test_the_engine_s_own_transceiver_moves_the_cache_of_a_worker(version: str, role: Any) -> None:
    _, options = _with_tcp(DISAGGREGATED, role, version)
    found = options.cache_transceiver_config
    assert found is not None
    assert (found.backend, found.max_tokens_in_buffer, found.transceiver_runtime) == ("UCX", 9216, None)


def test_a_worker_that_transfers_nothing_is_left_alone() -> None:
    before, after = _with_tcp(AGGREGATED, "worker", "1.4.2")
    assert after is before
