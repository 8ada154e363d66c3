"""Is what was bought there, for these nodes, now?"""

import datetime as dt
from collections.abc import Iterator

from cli.preflight_checks.answers import Answer, Reservation, good, wrong
from stacks.infrastructure.plan import CapacityBlock, PlannedNodes
from stacks.infrastructure.plan import Reservation as PlannedReservation

ENDS_BEFORE = dt.timedelta(minutes=30)
"""EC2 terminates the instances of a Capacity Block this long before its end
(https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html)."""
DRAINED_BEFORE = dt.timedelta(minutes=40)
"""EKS scales the node group down this long before the end
(https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html)."""


def capacity_answers(nodes: PlannedNodes, found: Reservation | None, now: dt.datetime) -> Iterator[Answer]:
    """Answer what there is to ask of a reservation; nothing for nodes without one.

    Args:
        nodes: the planned node group.
        found: what EC2 describes under the planned id; None if it knows none.
        now: in UTC.

    """
    purchase = nodes.purchase
    if not isinstance(purchase, CapacityBlock | PlannedReservation):
        return
    question = f"pool {nodes.pool}: {purchase.id}"
    if found is None:
        yield wrong(question, "no such reservation in this account and region", "nodePools[].purchase.id")
        return
    yield from _shape(question, nodes, found)
    if isinstance(purchase, CapacityBlock):
        yield from _window(question, purchase, found, now)
    elif found.state != "active":
        yield wrong(question, f"is {found.state}", "take one that is active")


def phase_due(found: Reservation, now: dt.datetime) -> str:
    """waiting before the window, active in it, over after it."""
    if found.ends is not None and now >= found.ends - DRAINED_BEFORE:
        return "over"
    if found.starts is not None and now < found.starts:
        return "waiting"
    return "active"


def _shape(question: str, nodes: PlannedNodes, found: Reservation) -> Iterator[Answer]:
    wanted = nodes.instance_type.name
    if found.instance_type != wanted:
        yield wrong(question, f"is for {found.instance_type}", f"it must be for {wanted}")
    if found.zone != nodes.zone.name:
        yield wrong(question, f"is in {found.zone}", f"nodePools[].zone: {found.zone}")
    if found.total < nodes.nodes:
        text = f"has {found.total} instances, the pool {nodes.nodes} nodes"
        yield wrong(question, text, f"nodePools[].nodes: {found.total}")
    else:
        yield good(question, f"{found.total} x {found.instance_type} in {found.zone}, {found.available} free")


def _window(question: str, purchase: CapacityBlock, found: Reservation, now: dt.datetime) -> Iterator[Answer]:
    due = phase_due(found, now)
    window = f"{found.state}, from {_shown(found.starts)} to {_shown(found.ends)}"
    if due == "over":
        yield wrong(question, f"{window}: over, or EKS drains its nodes now", "buy another, then its id")
        return
    if found.starts is not None and _shown(found.starts) != purchase.starts:
        yield wrong(
            question, f"{window}; typed is {purchase.starts}", f'purchase.starts: "{_shown(found.starts)}"'
        )
    if due == purchase.phase:
        yield good(question, f"{window}; phase {due} is due")
        return
    text = f"{window}; phase {due} is due, {purchase.phase} is typed"
    yield wrong(question, text, f"purchase.phase: {due}, then `pulumi up`")


def _shown(time: dt.datetime | None) -> str:
    return "?" if time is None else time.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
