"""Capacity reservations and Capacity Blocks: moto has none of their operations."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import now
from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.place import RESERVATIONS
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

# What a GPU costs an hour in a block is no subject of the simulation; the field must be there.
_FEE_PER_INSTANCE_HOUR = 100.0
_ULTRASERVERS = {"u-p6e-gb200x36": ("p6e-gb200.36xlarge", 9), "u-p6e-gb200x72": ("p6e-gb200.36xlarge", 18)}
"""Type -> its instances (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html)."""
_OFFERING = "capacity-block-offerings"


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


@answers("ec2", "CreateCapacityReservation")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """An On-Demand Capacity Reservation, active at once."""
    zone = given.get("AvailabilityZone") or ""
    document = _reservation(place, given["InstanceType"], zone, given["InstanceCount"], "default")
    document["InstanceMatchCriteria"] = given.get("InstanceMatchCriteria", "open")
    return {"CapacityReservation": _put(place, document)}


@answers("ec2", "CancelCapacityReservation")
def cancel(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Ends an On-Demand Capacity Reservation; a block cannot be cancelled."""
    identifier = given["CapacityReservationId"]
    document = place.reservation(identifier)
    if document is None:
        raise _unknown(identifier)
    if document.get("ReservationType") == "capacity-block":
        raise Refused("InvalidParameterValue", f"Capacity Block {identifier} can't be canceled.")
    _put(place, {**document, "State": "cancelled"})
    return {"Return": True}


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
    place.store.put(_OFFERING, place.key(offering["CapacityBlockOfferingId"]), offering)
    return {"CapacityBlockOfferings": [offering]}


@answers("ec2", "PurchaseCapacityBlock")
def purchase(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Buys an offering: a reservation that is scheduled until its start."""
    offering = place.store.get(_OFFERING, place.key(given["CapacityBlockOfferingId"]))
    if offering is None:
        raise Refused(
            "InvalidParameterValue",
            f"The offering {given['CapacityBlockOfferingId']} is no longer available.",
        )
    document = {
        **_reservation(
            place,
            offering["InstanceType"],
            offering["AvailabilityZone"],
            offering["InstanceCount"],
            "capacity-block",
        ),
        "State": "scheduled",
        "StartDate": offering["StartDate"],
        "EndDate": offering["EndDate"],
        "EndDateType": "limited",
        "InstanceMatchCriteria": "targeted",
        "CapacityBlockId": f"cb-{uuid.uuid4().hex[:17]}",
    }
    return {"CapacityReservation": _put(place, document)}


@answers("ec2", "DescribeInstanceTopology")
def topology(place: Place, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - as all handlers
    """None: node groups are simulated without instances."""
    return {"Instances": []}


def _reservation(place: Place, instance_type: str, zone: str, count: int, kind: str) -> dict[str, Any]:
    identifier = f"cr-{uuid.uuid4().hex[:17]}"
    return {
        "CapacityReservationId": identifier,
        "OwnerId": place.account,
        "CapacityReservationArn": place.arn("ec2", f"capacity-reservation/{identifier}"),
        "InstanceType": instance_type,
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": zone,
        "Tenancy": "default",
        "TotalInstanceCount": count,
        "AvailableInstanceCount": count,
        "EbsOptimized": True,
        "EphemeralStorage": False,
        "State": "active",
        "StartDate": now(),
        "EndDateType": "unlimited",
        "CreateDate": now(),
        "Tags": [],
        "ReservationType": kind,
    }


def _put(place: Place, document: dict[str, Any]) -> dict[str, Any]:
    return place.store.put(RESERVATIONS, place.key(document["CapacityReservationId"]), document)


def _unknown(identifier: str) -> Refused:
    return Refused(
        "InvalidCapacityReservationId.NotFound", f"The capacity reservation '{identifier}' does not exist."
    )
