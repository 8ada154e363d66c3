"""What a Capacity Block like a pool's would cost if it were bought now."""

from collections.abc import Mapping
from typing import Any

from components.purchase import CapacityBlock
from operations.preflight.account import Account
from operations.preflight.asking import Unanswered
from stacks.plan.infrastructure.eks_plan import PlannedNodes
from stacks.plan.infrastructure.prices import least_sold

_HOURS = 24
"""The shortest block that is sold."""


def offered_now(nodes: PlannedNodes, account: Account) -> str | None:
    """Return the up-front fee that AWS asks for the least that holds the pool; None for another purchase."""
    if not isinstance(nodes.purchase, CapacityBlock):
        return None
    pool, kind = nodes.pool, nodes.pool.instance_type.name
    unit = least_sold(nodes.pool.instance_type, pool.gpus)
    what, gpus = (unit.name, unit.gpus) if unit is not None else (f"{pool.nodes} x {kind}", pool.gpus)
    wanted: dict[str, object] = (
        {"UltraserverType": unit.name, "UltraserverCount": 1}
        if unit is not None
        else {"InstanceType": kind, "InstanceCount": pool.nodes}
    )
    asked = f"a new block for pool {pool.name}, {what} for {_HOURS} h"
    try:
        offerings = account.block_offerings(hours=_HOURS, **wanted)
    except Unanswered as reason:
        return f"{asked}: not known: {reason}"
    if not offerings:
        return f"{asked}: none is offered now"
    return f"{asked}: {_fee(min(offerings, key=lambda each: float(each['UpfrontFee'])), gpus)}"


def _fee(offering: Mapping[str, Any], gpus: int) -> str:
    fee, currency = float(offering["UpfrontFee"]), offering["CurrencyCode"]
    hours = float(offering["CapacityBlockDurationHours"])
    return (
        f"{fee:,.2f} {currency} up front, {fee / hours / gpus:,.3f} a GPU-hour, from "
        f"{offering['StartDate']:%Y-%m-%dT%H:%M:%SZ} in {offering['AvailabilityZone']}"
    )
