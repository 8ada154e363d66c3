"""What the account of a rehearsal has bought before its stack comes."""

from __future__ import annotations

from typing import Any

import pytest

from lab.reservations import reservations_of


def pool(**purchase: Any) -> dict[str, Any]:
    return {
        "name": "gpus",
        "instanceType": "p6-b200.48xlarge",
        "nodes": 2,
        "zone": "us-east-1b",
        "purchase": purchase,
    }


@pytest.mark.parametrize(("phase", "state"), [("active", "active"), ("waiting", "scheduled")])
def test_a_capacity_block_is_active_or_scheduled_as_the_settings_say(phase: str, state: str) -> None:
    bought = pool(kind="capacityBlock", id="cr-1", starts="2026-12-01T11:30:00Z", phase=phase)
    (block,) = reservations_of([bought])
    assert (block["State"], block["ReservationType"]) == (state, "capacity-block")
    assert (block["CapacityReservationId"], block["InstanceType"]) == ("cr-1", "p6-b200.48xlarge")
    assert (block["AvailabilityZone"], block["TotalInstanceCount"]) == ("us-east-1b", 2)
    assert block["StartDate"] == "2026-12-01T11:30:00Z"


def test_a_reservation_is_no_capacity_block_and_what_is_bought_by_the_hour_none_at_all() -> None:
    others = [pool(kind="onDemand"), pool(kind="spot"), {"name": "typed nowhere"}]
    (reservation,) = reservations_of([*others, pool(kind="reservation", id="cr-2")])
    assert (reservation["State"], reservation["ReservationType"]) == ("active", "default")
