"""How nodes are paid for, as plain data."""

from dataclasses import dataclass
from typing import Literal

Phase = Literal["waiting", "active", "empty"]
"""waiting: the window has not opened, a launch would fail. empty: a person wants no node for now. Nothing
here reads a clock: a person says."""


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Paid by the hour, when there is room."""

    kind: Literal["onDemand"] = "onDemand"


@dataclass(frozen=True, slots=True)
class Spot:
    """Paid by the hour, taken away with two minutes' notice."""

    kind: Literal["spot"] = "spot"


@dataclass(frozen=True, slots=True)
class Reservation:
    """An On-Demand Capacity Reservation that was made before."""

    id: str
    placement_group: str | None = None
    """Placement group that the capacity was made in; None: in no group."""
    kind: Literal["reservation"] = "reservation"


@dataclass(frozen=True, slots=True)
class CapacityBlock:
    """GPUs bought for a window of time."""

    id: str
    starts: str
    """RFC 3339 time at which the window opens."""
    phase: Phase
    ends: str | None = None
    """RFC 3339 time at which the window closes; None where nobody typed it."""
    kind: Literal["capacityBlock"] = "capacityBlock"


Purchase = OnDemand | Spot | Reservation | CapacityBlock


def reservation_id(purchase: Purchase) -> str | None:
    """Return the capacity reservation from which nodes are launched; None where they are launched without."""
    return purchase.id if isinstance(purchase, Reservation | CapacityBlock) else None
