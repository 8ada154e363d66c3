"""What the GPUs of a pool cost an hour, by the way in which they are bought."""

from components.purchase import CapacityBlock, Purchase, Spot
from hardware import InstanceType

NAMES = {
    "onDemand": "on demand",
    "spot": "Spot",
    "reservation": "reservation",
    "capacityBlock": "Capacity Block",
}
"""A purchase's kind -> what people call it."""


def usd_per_gpu_hour(instance_type: InstanceType, purchase: Purchase) -> float | None:
    """Published US dollars for one GPU an hour; None where there is no published price.

    Spot prices change by the minute; a reservation costs what its instances would, used or not.
    """
    if isinstance(purchase, Spot):
        return None
    if isinstance(purchase, CapacityBlock):
        return instance_type.capacity_block_usd_per_gpu_hour
    return instance_type.on_demand_usd_per_gpu_hour
