"""Capacity reservations and Capacity Blocks: moto has none of their operations."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import now
from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

# What a GPU costs an hour in a block is no subject of the simulation; the field must be there.
_FEE_PER_INSTANCE_HOUR = 100.0
_ULTRASERVERS = {"u-p6e-gb200x36": ("p6e-gb200.36xlarge", 9), "u-p6e-gb200x72": ("p6e-gb200.36xlarge", 18)}
"""Type -> its instances (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html)."""


@answers("ec2", "DescribeCapacityReservations")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """All, or those named; an id that does not exist is an error."""
    found = place.reservations()
    wanted = given.get("CapacityReservationIds")
    for identifier in wanted or []:
        if identifier not in {item["CapacityReservationId"] for item in found}:
            raise _unknown(identifier)
    return {
        "CapacityReservations": [
            item for item in found if not wanted or item["CapacityReservationId"] in wanted
        ]
    }


@answers("ec2", "DescribeCapacityBlockOfferings")
def offerings(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """One offering, from tomorrow, in the first zone that has the type."""
    unit = given.get("UltraserverType")
    name, each = _ULTRASERVERS[unit] if unit else (given.get("InstanceType", ""), 1)
    zones = sorted(place.offering_zones(name))
    if not zones:
        return {"CapacityBlockOfferings": []}
    hours, count = (
        given["CapacityDurationHours"],
        each * given.get("UltraserverCount" if unit else "InstanceCount", 1),
    )
    start = now().replace(hour=11, minute=30, second=0) + dt.timedelta(days=1)
    offering = {
        "CapacityBlockOfferingId": f"cb-{uuid.uuid4().hex[:17]}",
        "InstanceType": name,
        "AvailabilityZone": zones[0],
        "InstanceCount": count,
        "StartDate": start,
        "EndDate": start + dt.timedelta(hours=hours),
        "CapacityBlockDurationHours": hours,
        "UpfrontFee": f"{_FEE_PER_INSTANCE_HOUR * hours * count:.4f}",
        "CurrencyCode": "USD",
        "Tenancy": "default",
        "ZoneType": "local-zone" if place.is_local_zone(zones[0]) else "availability-zone",
    }
    return {"CapacityBlockOfferings": [offering]}


def _unknown(identifier: str) -> Refused:
    return Refused(
        "InvalidCapacityReservationId.NotFound", f"The capacity reservation '{identifier}' does not exist."
    )
