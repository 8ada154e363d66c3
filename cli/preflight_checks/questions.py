"""All questions about one plan."""

import datetime as dt
from collections.abc import Callable, Iterator

from cli.preflight_checks.account import Account, Denied
from cli.preflight_checks.answers import Answer, good, unknown, wrong
from cli.preflight_checks.capacity import capacity_answers
from stacks.infrastructure.plan import (
    CapacityBlock,
    EksPlan,
    OnDemand,
    PlannedNetwork,
    PlannedNodes,
    Reservation,
    Spot,
)

# Quotas by their codes (https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html).
_ON_DEMAND_P_VCPUS = ("ec2", "L-417A185B")
_SPOT_P_VCPUS = ("ec2", "L-7212CCBC")
_ELASTIC_IPS = ("ec2", "L-0263D0A3")
_CLUSTERS = ("eks", "L-1194D53C")


def answers(plan: EksPlan, account: Account, now: dt.datetime) -> Iterator[Answer]:
    """Ask everything; where the credentials may not ask, the answer is unknown."""
    yield from _guarded("account", lambda: _identity(plan, account))
    for nodes in plan.gpu_nodes:
        yield from _guarded(f"pool {nodes.pool}: offered", lambda each=nodes: _offered(each, account))
        yield from _guarded(f"pool {nodes.pool}: capacity", lambda each=nodes: _capacity(each, account, now))
        yield from _guarded(f"pool {nodes.pool}: quota", lambda each=nodes: _vcpus(each, account))
    yield from _guarded("quota: elastic IPs", lambda: _addresses(plan, account))
    yield from _guarded("quota: EKS clusters", lambda: _clusters(account))


def _guarded(question: str, ask: Callable[[], Iterator[Answer]]) -> Iterator[Answer]:
    try:
        yield from ask()
    except Denied as reason:
        yield unknown(question, str(reason))


def _identity(plan: EksPlan, account: Account) -> Iterator[Answer]:
    found = account.id()
    if found == plan.account_id:
        yield good("account", f"{found}, {plan.region}")
        return
    yield wrong("account", f"the credentials are of {found}", f"credentials of {plan.account_id}")


def _offered(nodes: PlannedNodes, account: Account) -> Iterator[Answer]:
    question, zone = f"pool {nodes.pool}: {nodes.instance_type.name} in {nodes.zone.name}", nodes.zone
    if zone.is_local:
        status = account.zone_opted_in(zone.name)
        if status == "not-opted-in":
            text = f"zone group {zone.group} is not opted in to; `up` does that"
            yield good(question, text)
            return
    zones = account.offered_in(nodes.instance_type.name)
    if zone.name in zones:
        yield good(question, "offered")
        return
    yield wrong(
        question, "not offered", f"nodePools[].zone: one of {', '.join(sorted(zones)) or 'none here'}"
    )


def _capacity(nodes: PlannedNodes, account: Account, now: dt.datetime) -> Iterator[Answer]:
    purchase = nodes.purchase
    if isinstance(purchase, CapacityBlock | Reservation):
        yield from capacity_answers(nodes, account.reservation(purchase.id), now)


def _vcpus(nodes: PlannedNodes, account: Account) -> Iterator[Answer]:
    # What a Capacity Block or a reservation holds counts against no quota at launch.
    if not isinstance(nodes.purchase, OnDemand | Spot):
        return
    quota = _ON_DEMAND_P_VCPUS if isinstance(nodes.purchase, OnDemand) else _SPOT_P_VCPUS
    needed, allowed = nodes.nodes * nodes.instance_type.vcpus, account.quota(*quota)
    question = f"pool {nodes.pool}: quota {quota[1]}, vCPUs of P instances"
    text = f"{needed} of {allowed:.0f}"
    if needed <= allowed:
        yield good(question, text)
    else:
        yield wrong(
            question, text, f"aws service-quotas request-service-quota-increase --quota-code {quota[1]}"
        )


def _addresses(plan: EksPlan, account: Account) -> Iterator[Answer]:
    if not isinstance(plan.network, PlannedNetwork):
        return
    zones = len(plan.network.subnets) - len(plan.network.local)
    needed, allowed = zones if plan.network.nat_per_zone else 1, account.quota(*_ELASTIC_IPS)
    text = f"{needed} of {allowed:.0f}, those in use not counted"
    if needed <= allowed:
        yield good("quota: elastic IPs", text)
    else:
        yield wrong("quota: elastic IPs", text, "cluster.network.natPerZone: false, or a larger quota")


def _clusters(account: Account) -> Iterator[Answer]:
    allowed = account.quota(*_CLUSTERS)
    yield good("quota: EKS clusters", f"{allowed:.0f}, those in use not counted")
