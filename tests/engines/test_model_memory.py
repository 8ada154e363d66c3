"""Weights, KV cache and what is left for it, against numbers that were published or worked out by hand."""

import pytest

from engines.memory import (
    GIB,
    SLIDING_WINDOW,
    ExpertPadding,
    Sharding,
    checkpoint_bytes,
    kv_bytes,
    memory_demand,
    weight_bytes,
)
from engines.models import GPT_OSS_MODELS, KV_VALUE_BYTES
from engines.tensorrt_llm.kernels import tensorrt_llm_padding
from engines.vllm.engine import vllm_padding

LARGE, SMALL = GPT_OSS_MODELS["gpt-oss-120b"], GPT_OSS_MODELS["gpt-oss-20b"]
TRTLLM, CUTLASS = tensorrt_llm_padding("TRTLLM"), tensorrt_llm_padding("CUTLASS")
BF16, FP8 = KV_VALUE_BYTES["auto"], KV_VALUE_BYTES["fp8"]
AGGREGATED = Sharding(tensor=4, expert=4, attention_data_parallel=True)


def test_the_tensors_are_as_large_as_those_that_are_published() -> None:
    assert checkpoint_bytes(LARGE) == 65_248_815_744
    assert checkpoint_bytes(SMALL) == 13_761_264_768


@pytest.mark.parametrize(
    ("sharding", "trtllm", "cutlass"),
    [
        (Sharding(1), 65.1, 63.3),
        (Sharding(2), 33.9, 33.0),
        (Sharding(2, 2), 32.6, 31.7),
        (Sharding(2, 2, attention_data_parallel=True), 34.5, 33.6),
        (Sharding(4), 17.0, 16.5),
        (Sharding(4, 4), 16.3, 15.9),
        (AGGREGATED, 19.3, 18.8),
        (Sharding(8), 8.5, 8.3),
        (Sharding(8, 8, attention_data_parallel=True), 11.6, 11.4),
    ],
)
def test_weights_of_a_gpu_are_padded_and_spread(sharding: Sharding, trtllm: float, cutlass: float) -> None:
    assert weight_bytes(LARGE, TRTLLM, sharding) / GIB == pytest.approx(trtllm, rel=0.02)
    assert weight_bytes(LARGE, CUTLASS, sharding) / GIB == pytest.approx(cutlass, rel=0.02)


def test_vllm_s_weights_are_as_large_as_its_log_says() -> None:
    assert weight_bytes(LARGE, vllm_padding("marlin"), Sharding()) / GIB == pytest.approx(64.38, rel=0.02)


@pytest.mark.parametrize(
    ("value_bytes", "sharding", "expected"),
    [
        (BF16, Sharding(1), 73_728),
        (FP8, Sharding(1), 36_864),
        (BF16, Sharding(4), 18_432),
        (FP8, Sharding(4), 9_216),
        (BF16, Sharding(8), 9_216),
        (FP8, Sharding(16), 4_608),
        (BF16, AGGREGATED, 73_728),
    ],
)
def test_a_token_of_the_cache_is_split_over_at_most_eight_gpus(
    value_bytes: float, sharding: Sharding, expected: int
) -> None:
    assert kv_bytes(LARGE, 1, value_bytes, sharding) == expected


def test_windows_bound_every_second_layer() -> None:
    whole = kv_bytes(LARGE, 8192, FP8, Sharding())
    assert whole == 301_989_888
    windowed = kv_bytes(LARGE, 8192, FP8, Sharding(), (SLIDING_WINDOW, 32_768))
    assert windowed == whole / 2 * (1 + SLIDING_WINDOW / 8192)


@pytest.mark.parametrize(
    ("sharding", "tokens", "fraction", "memory_gib", "padding", "expected"),
    [
        (AGGREGATED, 8192, 0.9, 178.35, TRTLLM, 138),
        (AGGREGATED, 8192, 0.9, 184.0, TRTLLM, 143),
        (AGGREGATED, 8192, 0.9, 139.8, CUTLASS, 104),
        (AGGREGATED, 8192, 0.9, 79.2, CUTLASS, 49),
        (Sharding(1), 20_000, 0.8, 178.35, TRTLLM, 84),
        (Sharding(1), 20_000, 0.8, 184.0, TRTLLM, 89),
        (Sharding(1), 20_000, 0.8, 139.8, CUTLASS, 55),
        (Sharding(1), 20_000, 0.8, 79.2, CUTLASS, 6.2),
        (Sharding(4), 20_000, 0.85, 178.35, TRTLLM, 131),
        (Sharding(4), 20_000, 0.85, 184.0, TRTLLM, 137),
        (Sharding(4), 20_000, 0.85, 139.8, CUTLASS, 99),
        (Sharding(4), 20_000, 0.85, 79.2, CUTLASS, 48),
    ],
)
def test_what_is_left_for_the_cache(
    *,
    sharding: Sharding,
    tokens: int,
    fraction: float,
    memory_gib: float,
    padding: ExpertPadding,
    expected: float,
) -> None:
    demand = memory_demand(LARGE, padding, sharding, max_num_tokens=tokens)
    assert fraction * (memory_gib - demand.total) == pytest.approx(expected, rel=0.02)
