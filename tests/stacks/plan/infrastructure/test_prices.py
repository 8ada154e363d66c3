"""What a GPU costs an hour by the way in which it is bought."""

from __future__ import annotations

import pytest

from hardware import INSTANCE_TYPES
from stacks.plan.infrastructure.prices import published_price
from stacks.settings.purchase import CapacityBlock, OnDemand, Purchase, Reservation, Spot

BLOCK = CapacityBlock(
    kind="capacityBlock", id="cr-0123456789abcdef0", starts="2026-12-01T11:30:00Z", phase="active"
)
B200, GB200 = INSTANCE_TYPES["p6-b200.48xlarge"], INSTANCE_TYPES["p6e-gb200.36xlarge"]


@pytest.mark.parametrize(
    "purchase", [OnDemand(kind="onDemand"), Reservation(kind="reservation", id="cr-1234567890"), None]
)
def test_a_price_on_demand_holds_for_reservations_and_where_nobody_says_how_it_is_bought(
    purchase: Purchase | None,
) -> None:
    price = published_price(B200, purchase)
    assert price is not None
    assert price.usd_per_gpu_hour == B200.on_demand_usd_per_gpu_hour
    assert price.source is B200.sources["on_demand_usd_per_gpu_hour"]


@pytest.mark.parametrize("purchase", [BLOCK, None])
def test_what_is_sold_in_capacity_blocks_alone_has_their_price(purchase: Purchase | None) -> None:
    price = published_price(GB200, purchase)
    assert price is not None
    assert price.usd_per_gpu_hour == GB200.capacity_block_usd_per_gpu_hour
    assert price.source is GB200.sources["capacity_block_usd_per_gpu_hour"]


def test_spot_has_no_published_price_and_capacity_blocks_have_none_on_demand() -> None:
    assert published_price(B200, Spot(kind="spot")) is None
    assert published_price(GB200, OnDemand(kind="onDemand")) is None
