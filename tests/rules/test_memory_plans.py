"""A plan of memory refuses numbers that no engine runs with."""

import dataclasses
from typing import Any

import pytest

from engines.memory import Sharding
from engines.models import GPT_OSS_MODELS
from engines.tensorrt_llm.kernels import tensorrt_llm_padding
from engines.written_values import Count
from rules.reading.engines.memory import MemoryPlan
from rules.reading.shapes import Undecided

PLAN = MemoryPlan(
    model=GPT_OSS_MODELS["gpt-oss-120b"],
    sharding=Sharding(tensor=4),
    padding=lambda _: tensorrt_llm_padding("TRTLLM"),
    max_num_tokens=20_000,
    fraction=0.85,
    fraction_is_of_total=False,
    fraction_source="decode.yaml",
    kv_format="fp8",
    windows=(),
    max_seq_len=Count(11_000, "decode.yaml"),
    max_batch_size=Count(1280, "decode.yaml"),
    not_covered=None,
    buffer_tokens=9216,
)


@pytest.mark.parametrize(
    "change",
    [
        {"sharding": Sharding(tensor=0)},
        {"sharding": Sharding(tensor=4, expert=8)},
        {"max_num_tokens": -1},
        {"fraction": 0.0},
        {"fraction": 1.5},
        {"fraction": float("nan")},
    ],
    ids=str,
)
def test_absurd_numbers_leave_it_undecided(change: dict[str, Any]) -> None:
    with pytest.raises(Undecided, match=r"engine runs with|no share of a GPU"):
        dataclasses.replace(PLAN, **change)
