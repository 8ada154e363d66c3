"""What a GPU costs an hour by the way in which it is bought."""

import pytest

from hardware import INSTANCE_TYPES
from stacks.plan.infrastructure.prices import published_price
from stacks.settings.cluster import CapacityBlock, OnDemand, Purchase, Reservation, Spot

ON_DEMAND = OnDemand(kind="onDemand")
SPOT = Spot(kind="spot")
RESERVATION = Reservation(kind="reservation", id="cr-1234567890")
BLOCK = CapacityBlock(
    kind="capacityBlock", id="cr-0123456789abcdef0", starts="2027-12-01T11:30:00Z", phase="active"
)


@pytest.mark.parametrize(
    ("instance_type", "purchase", "option"),
    [
        ("p6-b200.48xlarge", ON_DEMAND, "on demand"),
        ("p6-b200.48xlarge", RESERVATION, "on demand"),
        ("p6-b200.48xlarge", None, "on demand"),
        ("p6-b200.48xlarge", SPOT, None),
        ("p6e-gb200.36xlarge", BLOCK, "Capacity Block"),
        # It is sold in Capacity Blocks alone.
        ("p6e-gb200.36xlarge", None, "Capacity Block"),
        ("p6e-gb200.36xlarge", ON_DEMAND, None),
    ],
)
def test_a_price_is_that_of_the_way_to_buy_where_one_is_published(
    instance_type: str, purchase: Purchase | None, option: str | None
) -> None:
    price = published_price(INSTANCE_TYPES[instance_type], purchase)
    assert (price and price.option) == option
