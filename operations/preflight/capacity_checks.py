"""Is what was bought there, for these nodes, now?"""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from operations.preflight.account import Account
from operations.preflight.answer import Answer, Unanswered, good, unknown, wrong
from stacks.plan.infrastructure.eks_plan import PlannedNodes
from stacks.plan.timeouts import NODES_WAIT_SECONDS
from stacks.settings.cluster import CapacityBlock, Reservation
from stacks.wording import in_words

DRAINED_BEFORE = dt.timedelta(minutes=40)
"""EKS scales a node group in a Capacity Block down this long before the block's end; ten minutes later EC2
terminates what is left (https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html)."""
_Found: TypeAlias = Mapping[str, Any]
"""A capacity reservation or Capacity Block, as EC2 describes it."""

_USABLE = {"active", "scheduled"}
_NOT_YET = {"assessing", "delayed", "payment-pending", "pending"}


def capacity_answers(nodes: PlannedNodes, account: Account) -> Iterator[Answer]:
    """Answer what there is to ask of a reservation; nothing for nodes without one."""
    purchase = nodes.purchase
    if not isinstance(purchase, CapacityBlock | Reservation):
        return
    question = f"pool {nodes.pool.name}: {purchase.id}"
    found = _reservation(account, purchase.id)
    if found is None:
        text = "no such reservation in this account and region"
        yield wrong(question, text, "`aws ec2 describe-capacity-reservations` has ids for purchase.id")
        return
    yield from _shape_answers(question, nodes, found)
    is_block, state = found.get("ReservationType") == "capacity-block", found["State"]
    # arn:aws:ec2:region:account:placement-group/name
    group = str(found.get("PlacementGroupArn") or "").rpartition("/")[2] or None
    if is_block != isinstance(purchase, CapacityBlock):
        kind, words = (
            ("capacityBlock", "Capacity Block")
            if is_block
            else ("reservation", "capacity reservation without a window")
        )
        yield wrong(question, f"is a {words}", f"purchase.kind: {kind}")
    elif state in _NOT_YET:
        yield unknown(question, f"is {state}: ask again later")
    elif state not in _USABLE:
        yield wrong(question, f"is {state}", "buy another, and type its id")
    elif isinstance(purchase, CapacityBlock):
        yield from _window_answers(question, purchase, found, account.now())
    elif group != purchase.placement_group:
        made = f"placement group {group}" if group else "no placement group"
        explicit = f"typed is {purchase.placement_group}" if purchase.placement_group else "none is typed"
        fix = f"purchase.placementGroup: {group}" if group else "leave purchase.placementGroup out"
        yield wrong(question, f"was made in {made}, {explicit}: EC2 launches into it nowhere else", fix)


def _reservation(account: Account, reservation_id: str) -> _Found | None:
    """Return what EC2 describes under the id; None if it knows none."""
    ids = [reservation_id]
    try:
        answer = account.ask("ec2", "describe_capacity_reservations", CapacityReservationIds=ids)
    except Unanswered as error:
        if error.code.startswith("InvalidCapacityReservationId."):
            return None
        raise
    return next(iter(answer["CapacityReservations"]), None)


def _shape_answers(question: str, nodes: PlannedNodes, found: _Found) -> Iterator[Answer]:
    wanted = nodes.pool.instance_type.name
    # No member of EC2's answer is one that it must give.
    kind, zone = found.get("InstanceType", ""), found.get("AvailabilityZone", "")
    total, free = found.get("TotalInstanceCount", 0), found.get("AvailableInstanceCount", 0)
    if kind != wanted:
        yield wrong(question, f"is for {kind}", f"one for {wanted}")
        return
    if zone != nodes.zone:
        yield wrong(question, f"is in {zone}", f"nodePools[].zone: {zone}")
    if total < nodes.pool.nodes:
        text = f"has {in_words(total, 'instance')}, the pool {in_words(nodes.pool.nodes, 'node')}"
        yield wrong(question, text, f"nodePools[].nodes: {total}, or a larger one")
        return
    text = f"{total} x {wanted} in {zone}, {free} free; the pool takes {nodes.pool.nodes}"
    if free < nodes.pool.nodes:
        yield unknown(question, f"{text}: enough only if this stack's own nodes hold the rest")
    else:
        yield good(question, text)


def _window_answers(
    question: str, purchase: CapacityBlock, found: _Found, now: dt.datetime
) -> Iterator[Answer]:
    starts, ends = found["StartDate"], found["EndDate"]
    due = _phase_due(starts, ends, now)
    window = f"{found['State']} from {_shown(starts)} to {_shown(ends)}"
    if purchase.ends and _shown(ends) != purchase.ends:
        yield wrong(f"{question}: its end", f"typed is {purchase.ends}", f'purchase.ends: "{_shown(ends)}"')
    if due == "over":
        yield wrong(
            question, f"{window}: over, or so near that EKS drains it", "buy another, and type its id"
        )
        return
    if _shown(starts) != purchase.starts:
        fix = f'purchase.starts: "{_shown(starts)}"'
        yield wrong(question, f"{window}; typed is {purchase.starts}", fix)
    if purchase.phase in {due, "empty"}:
        why = "" if purchase.phase == due else "the pool is emptied on purpose, and "
        yield good(question, f"{window}; {why}phase {due} is due")
        return
    limit = f"`up` fails after {NODES_WAIT_SECONDS // 60} minutes without nodes"
    why = f": nothing starts before the window, and {limit}" if due == "waiting" else ""
    text = f"{window}; phase {due} is due, {purchase.phase} is typed{why}"
    yield wrong(question, text, f"purchase.phase: {due}")


def _phase_due(starts: dt.datetime, ends: dt.datetime, now: dt.datetime) -> str:
    """waiting before the window, active in it, over from the time at which EKS drains its nodes."""
    if now >= ends - DRAINED_BEFORE:
        return "over"
    return "waiting" if now < starts else "active"


def _shown(time: dt.datetime) -> str:
    return time.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
