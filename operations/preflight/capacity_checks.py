"""Is what was bought there, for these nodes, now; and what would a Capacity Block cost?"""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from operations.preflight.account import Account, FoundReservation, Unanswered
from operations.preflight.answer import Answer, good, unknown, wrong
from stacks.plan.infrastructure.eks_plan import PlannedNodes
from stacks.plan.infrastructure.prices import least_sold, usd_per_gpu_hour
from stacks.plan.timeouts import NODES_WAIT_SECONDS
from stacks.settings.cluster import CapacityBlock, Reservation
from stacks.wording import in_words

DRAINED_BEFORE = dt.timedelta(minutes=40)
"""EKS scales a node group in a Capacity Block down this long before the block's end; ten minutes later EC2
terminates what is left (https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html)."""
_USABLE = {"active", "scheduled"}
_NOT_YET = {"assessing", "delayed", "payment-pending", "pending"}
_HOURS = 24
"""The shortest block that is sold."""


def capacity_answers(
    nodes: PlannedNodes, found: FoundReservation | None, now: dt.datetime
) -> Iterator[Answer]:
    """Answer what there is to ask of a reservation; nothing for nodes without one.

    `found` is what EC2 describes under the planned id; None if it knows none.
    """
    purchase = nodes.purchase
    if not isinstance(purchase, CapacityBlock | Reservation):
        return
    question = f"pool {nodes.pool.name}: {purchase.id}"
    if found is None:
        text = "no such reservation in this account and region"
        yield wrong(question, text, "`aws ec2 describe-capacity-reservations` has ids for purchase.id")
        return
    yield from _shape_answers(question, nodes, found)
    if found.is_block != isinstance(purchase, CapacityBlock):
        kind, words = (
            ("capacityBlock", "Capacity Block")
            if found.is_block
            else ("reservation", "capacity reservation without a window")
        )
        yield wrong(question, f"is a {words}", f"purchase.kind: {kind}")
    elif found.state in _NOT_YET:
        yield unknown(question, f"is {found.state}: ask again later")
    elif found.state not in _USABLE:
        yield wrong(question, f"is {found.state}", "buy another, and type its id")
    elif isinstance(purchase, CapacityBlock):
        yield from _window_answers(question, nodes, purchase, found, now)
    elif found.placement_group != purchase.placement_group:
        made = f"placement group {found.placement_group}" if found.placement_group else "no placement group"
        explicit = f"typed is {purchase.placement_group}" if purchase.placement_group else "none is typed"
        fix = (
            f"purchase.placementGroup: {found.placement_group}"
            if found.placement_group
            else "leave purchase.placementGroup out"
        )
        yield wrong(question, f"was made in {made}, {explicit}: EC2 launches into it nowhere else", fix)


def phase_due(found: FoundReservation, now: dt.datetime) -> str:
    """waiting before the window, active in it, over from the time at which EKS drains its nodes."""
    if found.ends is not None and now >= found.ends - DRAINED_BEFORE:
        return "over"
    if found.starts is not None and now < found.starts:
        return "waiting"
    return "active"


def offered_now(nodes: PlannedNodes, account: Account) -> str | None:
    """Return the up-front fee that AWS asks for the least that holds the pool; None for another purchase."""
    if not isinstance(nodes.purchase, CapacityBlock):
        return None
    pool, kind = nodes.pool, nodes.pool.instance_type.name
    what = f"{pool.nodes} x {kind}"
    gpus = pool.gpus
    wanted: dict[str, object] = {"InstanceType": kind, "InstanceCount": pool.nodes}
    if unit := least_sold(pool.instance_type, pool.gpus):
        what = unit.name
        gpus = unit.gpus
        wanted = {"UltraserverType": unit.name, "UltraserverCount": 1}
    asked = f"a new block for pool {pool.name}, {what} for {_HOURS} h"
    try:
        offerings = account.block_offerings(hours=_HOURS, **wanted)
    except Unanswered as reason:
        return f"{asked}: not known: {reason}"
    if not offerings:
        return f"{asked}: none is offered now"
    return f"{asked}: {_fee(min(offerings, key=lambda each: float(each['UpfrontFee'])), gpus)}"


def _shape_answers(question: str, nodes: PlannedNodes, found: FoundReservation) -> Iterator[Answer]:
    wanted = nodes.pool.instance_type.name
    if found.instance_type != wanted:
        yield wrong(question, f"is for {found.instance_type}", f"one for {wanted}")
        return
    if found.zone != nodes.zone.name:
        yield wrong(question, f"is in {found.zone}", f"nodePools[].zone: {found.zone}")
    if found.total < nodes.pool.nodes:
        text = f"has {in_words(found.total, 'instance')}, the pool {in_words(nodes.pool.nodes, 'node')}"
        yield wrong(question, text, f"nodePools[].nodes: {found.total}, or a larger one")
        return
    text = f"{found.total} x {found.instance_type} in {found.zone}, {found.available} free"
    text = f"{text}; the pool takes {nodes.pool.nodes}"
    if found.available < nodes.pool.nodes:
        yield unknown(question, f"{text}: enough only if this stack's own nodes hold the rest")
    else:
        yield good(question, text)


def _window_answers(
    question: str, nodes: PlannedNodes, purchase: CapacityBlock, found: FoundReservation, now: dt.datetime
) -> Iterator[Answer]:
    due = phase_due(found, now)
    window = f"{found.state} from {_shown(found.starts)} to {_shown(found.ends)}{_price(nodes, found)}"
    if purchase.ends and found.ends and _shown(found.ends) != purchase.ends:
        fix = f'purchase.ends: "{_shown(found.ends)}"'
        yield wrong(f"{question}: its end", f"typed is {purchase.ends}", fix)
    if due == "over":
        yield wrong(
            question, f"{window}: over, or so near that EKS drains it", "buy another, and type its id"
        )
        return
    if found.starts is not None and _shown(found.starts) != purchase.starts:
        fix = f'purchase.starts: "{_shown(found.starts)}"'
        yield wrong(question, f"{window}; typed is {purchase.starts}", fix)
    if purchase.phase == "empty":
        yield good(question, f"{window}; the pool is emptied on purpose, and phase {due} is due")
        return
    if due == purchase.phase:
        yield good(question, f"{window}; phase {due} is due")
        return
    limit = f"`up` fails after {NODES_WAIT_SECONDS // 60} minutes without nodes"
    why = f": nothing starts before the window, and {limit}" if due == "waiting" else ""
    text = f"{window}; phase {due} is due, {purchase.phase} is typed{why}"
    yield wrong(question, text, f"purchase.phase: {due}")


def _price(nodes: PlannedNodes, found: FoundReservation) -> str:
    """Return the price of the whole window at the published rate: no answer of AWS has what was paid."""
    rate = usd_per_gpu_hour(nodes.pool.instance_type, nodes.purchase)
    if rate is None or found.starts is None or found.ends is None:
        return ""
    hours = (found.ends - found.starts) / dt.timedelta(hours=1)
    gpus = found.total * nodes.pool.instance_type.gpus
    return f", {hours:.0f} h of {in_words(gpus, 'GPU')} for ${gpus * rate * hours:,.0f}"


def _shown(time: dt.datetime | None) -> str:
    return "?" if time is None else time.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _fee(offering: Mapping[str, Any], gpus: int) -> str:
    fee, currency = float(offering["UpfrontFee"]), offering["CurrencyCode"]
    hours = float(offering["CapacityBlockDurationHours"])
    return (
        f"{fee:,.2f} {currency} up front, {fee / hours / gpus:,.3f} a GPU-hour, from "
        f"{offering['StartDate']:%Y-%m-%dT%H:%M:%SZ} in {offering['AvailabilityZone']}"
    )
