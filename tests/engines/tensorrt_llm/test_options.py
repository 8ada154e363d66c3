"""Engine options: what is refused before a worker is started with it, and what its engine file says."""

from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from engines.tensorrt_llm.engine import TensorRtLlm
from engines.tensorrt_llm.keys import REMOVED_ENGINE_KEYS
from engines.tensorrt_llm.options import EngineSettings, TensorRtLlmOptions

POSITIONS = 131_072


def _options(**options: Any) -> TensorRtLlmOptions:
    return TensorRtLlmOptions.model_validate({"tensor_parallel_size": 4} | options)


def _refusal(**options: Any) -> str:
    with pytest.raises(ValidationError) as raised:
        _options(**options)
    return str(raised.value)


def _written(options: EngineSettings) -> dict[str, Any]:
    return yaml.safe_load(TensorRtLlm().engine_file(options))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"moe_expert_parallel_size": 3}, "must divide tensor_parallel_size 4: write one of 1, 2, 4"),
        (
            {"moe_expert_parallel_size": 2, "moe_tensor_parallel_size": 4},
            "moe_tensor_parallel_size 4 x moe_expert_parallel_size 2 must be tensor_parallel_size 4: write 2",
        ),
        (
            {"cuda_graph_config": {"batch_sizes": (1, 8), "max_batch_size": 16}},
            "max_batch_size 16 is not the largest of batch_sizes; write max_batch_size: 8",
        ),
        ({"cuda_graph_config": {"batch_sizes": ()}}, "at least 1 item"),
        ({"cuda_graph_config": {"batch_sizes": ["8"]}}, "valid integer"),
        ({"cache_transceiver_config": {"backend": "ucx"}}, "'UCX'"),
        ({"cache_transceiver_config": {"backend": "RDMA"}}, "'UCX'"),
        (
            {"cache_transceiver_config": {"max_tokens_in_buffer": 9216}},
            "without a backend transfers nothing: write backend: UCX",
        ),
        (
            {"cache_transceiver_config": {"backend": "UCX", "max_tokens_in_buffer": 9000}},
            "must be a multiple of tokens_per_block 32: write 9024",
        ),
        (
            {
                "cache_transceiver_config": {"backend": "UCX", "max_tokens_in_buffer": 9248},
                "kv_cache_config": {"tokens_per_block": 64},
            },
            "must be a multiple of tokens_per_block 64: write 9280",
        ),
        ({"kv_cache_config": {"free_gpu_memory_fraction": 1.5}}, "less than 1"),
        ({"kv_cache_config": {"dtype": "int8"}}, "'fp8'"),
        ({"kv_cache_config": {"max_attention_window": (0,)}}, "greater than 0"),
        ({"moe_config": {"backend": "MARLIN"}}, "'TRTLLM'"),
        ({"scheduler_config": {"capacity_scheduler_policy": "EVICT"}}, "'GUARANTEED_NO_EVICT'"),
        ({"allreduce_strategy": "auto"}, "'AUTO'"),
        ({"max_batchsize": 64}, "max_batchsize"),
        ({"kv_cache_config": {"fraction": 0.9}}, "fraction"),
        ({"extra": {"max_batch_size": 3}}, "extra repeats modelled options: max_batch_size"),
        ({"kv_cache_config": {"extra": {"dtype": "fp8"}}}, "extra repeats modelled options: dtype"),
        ({"tensor_parallel_size": None}, "tensor_parallel_size"),
    ],
)
def test_what_the_engine_would_refuse_is_refused_with_what_to_write(
    options: dict[str, Any], said: str
) -> None:
    assert said in _refusal(**options)


@pytest.mark.parametrize("key", REMOVED_ENGINE_KEYS)
def test_an_option_that_the_engine_no_longer_has_is_refused_wherever_it_stands(key: str) -> None:
    said = f"{key} is no engine option any more: {REMOVED_ENGINE_KEYS[key]}"
    assert said in _refusal(**{key: True})
    assert said in _refusal(extra={key: True})
    assert said in _refusal(kv_cache_config={key: True})
    with pytest.raises(ValidationError, match="no engine option any more"):
        EngineSettings.model_validate({"extra": {key: True}})


def test_what_is_not_set_is_as_large_as_the_engine_makes_it() -> None:
    options = _options()
    assert options.concurrent_requests == 2048
    assert options.effective_max_seq_len(POSITIONS) == 131_072
    assert options.longest_prompt(POSITIONS) == 8192
    assert _options(enable_chunked_prefill=True).longest_prompt(POSITIONS) == 131_071
    assert _options(max_seq_len=9000, max_num_tokens=20_000).longest_prompt(POSITIONS) == 8999
    assert _options(max_seq_len=9000, max_num_tokens=8999).longest_prompt(POSITIONS) == 8999
    assert _options(max_seq_len=9000, max_num_tokens=8998).longest_prompt(POSITIONS) == 8998


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ({}, {}),
        ({"max_num_tokens": None, "kv_cache_config": None}, {}),
        # Null turns CUDA graphs off.
        ({"cuda_graph_config": None}, {"cuda_graph_config": None}),
        (
            {"extra": {"attn_backend": "FLASHINFER"}, "kv_cache_config": {"extra": {"use_uvm": True}}},
            {"attn_backend": "FLASHINFER", "kv_cache_config": {"use_uvm": True}},
        ),
        (
            {"kv_cache_config": {"max_attention_window": [128, 32768]}},
            {"kv_cache_config": {"max_attention_window": [128, 32768]}},
        ),
    ],
)
def test_an_engine_file_holds_what_was_written_and_nothing_else(
    options: dict[str, Any], written: dict[str, Any]
) -> None:
    assert _written(EngineSettings.model_validate(options)) == written
