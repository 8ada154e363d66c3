"""GPUs and dollars of a side; what is said of them is in test_facts.py."""

from __future__ import annotations

from comparison.capacity import Block, Gpus, Price, capacity_of
from tests.comparison.made_up import pool


def test_gpus_and_dollars_are_summed_over_pools_and_a_price_is_named_once() -> None:
    found = capacity_of(
        [pool("a"), pool("b", used_gpus=8), pool("c", accelerator="H100", usd_per_gpu_hour=None)]
    )
    assert found.gpus == (
        Gpus(accelerator="B200", total=16, used=13),
        Gpus(accelerator="H100", total=8, used=5),
    )
    assert [each.idle for each in found.gpus] == [3, 3]
    assert (found.usd_per_hour, found.unpriced_gpus) == (160, 8)
    price = Price(machine="p6-b200.48xlarge", usd_per_gpu_hour=10, source="the price list", date="2026-07-01")
    assert found.prices == (price,)


def test_a_block_s_fee_is_no_part_of_what_grows_by_the_hour() -> None:
    found = capacity_of([pool("a"), pool("b", block="cr-1"), pool("c", block="cr-1")])
    assert found.usd_per_hour == 80
    assert found.blocks == (Block(id="cr-1", gpus=16, usd_per_hour=160),)
    assert found.idle_usd_per_hour == 90
    [unpriced] = capacity_of([pool("b", usd_per_gpu_hour=None, block="cr-1")]).blocks
    assert unpriced.usd_per_hour is None
