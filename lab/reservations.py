"""The capacity reservations that a stack's settings name, as the account of a rehearsal has them."""

from __future__ import annotations

from typing import Any

_LONG_AGO, _FAR_AHEAD = "2026-01-01T11:30:00Z", "2099-01-01T11:30:00Z"


def reservations_of(node_pools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A reservation for each pool that names one, of its type, zone and size, as EC2 describes it.

    A Capacity Block is scheduled where the settings say that its window has not opened, and active otherwise.
    """
    # A pool without a zone is refused by the program itself, with more to say about it.
    return [
        _described(pool, pool["purchase"])
        for pool in node_pools
        if "id" in (pool.get("purchase") or {}) and "zone" in pool
    ]


def _described(pool: dict[str, Any], purchase: dict[str, Any]) -> dict[str, Any]:
    block = purchase["kind"] == "capacityBlock"
    waiting = purchase.get("phase") == "waiting"
    group = purchase.get("placementGroup")
    placed = {"PlacementGroupArn": f"arn:aws:ec2:us-east-1:123456789012:placement-group/{group}"}
    return {
        **(placed if group else {}),
        "CapacityReservationId": purchase["id"],
        "InstanceType": pool["instanceType"],
        "AvailabilityZone": pool["zone"],
        "State": "scheduled" if waiting else "active",
        "TotalInstanceCount": pool["nodes"],
        "ReservationType": "capacity-block" if block else "default",
        "StartDate": purchase.get("starts", _LONG_AGO),
        "EndDate": _FAR_AHEAD,
    }
