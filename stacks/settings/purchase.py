"""How nodes are paid for."""

from typing import Annotated, Literal

from pydantic import Field

from recipes.strict_model import StrictModel
from stacks.settings.setting_types import ReservationId, Text, UtcTime

Phase = Literal["waiting", "active", "empty"]


class OnDemand(StrictModel):
    """Paid by the hour, when there is room."""

    kind: Literal["onDemand"]


class Spot(StrictModel):
    """Paid by the hour, taken away with two minutes' notice."""

    kind: Literal["spot"]


class Reservation(StrictModel):
    """An On-Demand Capacity Reservation that was made before."""

    kind: Literal["reservation"]
    id: ReservationId
    """Id of the reservation, whose zone is the pool's."""
    placement_group: Text | None = None
    """Name of the cluster placement group in which it was made, and its nodes are launched; None: outside
    one."""


class CapacityBlock(StrictModel):
    """GPUs that were bought for a window of time. Nothing here buys one."""

    kind: Literal["capacityBlock"]
    id: ReservationId
    """Id of the block's capacity reservation, as the purchase printed it."""
    starts: UtcTime
    """When its window opens: at that time a pool that waits is filled."""
    ends: UtcTime | None = None
    """When it ends, as the purchase printed it: `cluster.monitoring` tells 24 and 2 hours before."""
    phase: Phase
    """waiting before the window, active in it, empty to end the nodes before they change; `dynamo-stack
    preflight` says which is due (docs/capacity-blocks.md)."""


Purchase = Annotated[
    OnDemand | Spot | Reservation | CapacityBlock,
    Field(discriminator="kind"),
]


def reservation_id(purchase: Purchase) -> str | None:
    """Return the capacity reservation from which nodes are launched; None where they are launched without."""
    return purchase.id if isinstance(purchase, Reservation | CapacityBlock) else None
