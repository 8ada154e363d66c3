"""GPUs and dollars of a side."""

from __future__ import annotations

from comparison.capacity import Block, Gpus, Price, capacity_of
from tests.comparison.made_up import pool


def test_gpus_of_one_accelerator_are_summed_over_pools() -> None:
    found = capacity_of([pool("a"), pool("b", used_gpus=8), pool("c", accelerator="H100")])
    assert found.gpus == (
        Gpus(accelerator="B200", total=16, used=13),
        Gpus(accelerator="H100", total=8, used=5),
    )
    assert [each.idle for each in found.gpus] == [3, 3]


def test_a_block_s_fee_is_no_part_of_what_grows_by_the_hour() -> None:
    found = capacity_of([pool("a"), pool("b", block="cr-1"), pool("c", block="cr-1")])
    assert found.usd_per_hour == 80
    assert found.blocks == (Block(id="cr-1", gpus=16, usd_per_hour=160),)
    assert found.idle_usd_per_hour == 90


def test_gpus_without_a_price_are_counted_and_cost_nothing_here() -> None:
    unpriced = pool(usd_per_gpu_hour=None, price_source=None, price_date=None)
    found = capacity_of([unpriced, pool("b", usd_per_gpu_hour=None, block="cr-1")])
    assert (found.usd_per_hour, found.unpriced_gpus, found.prices) == (0, 16, ())
    assert found.blocks[0].usd_per_hour is None


def test_a_price_is_named_once_with_its_source_and_day() -> None:
    price = Price(machine="p6-b200.48xlarge", usd_per_gpu_hour=10, source="the price list", date="2026-07-01")
    assert capacity_of([pool("a"), pool("b")]).prices == (price,)
