"""Do the account's quotas leave room for what the stack makes?

Codes: https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html. An account starts with no
vCPU of P instances, and with five each of VPCs and elastic IPs in a region.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from components.purchase import OnDemand, Spot
from operations.preflight.account import Account
from operations.preflight.answers import Answer, good, wrong
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNetwork


@dataclass(frozen=True, slots=True)
class _Quota:
    service: str
    code: str
    title: str


_ON_DEMAND = _Quota("ec2", "L-417A185B", "vCPUs of P instances on demand")
_SPOT = _Quota("ec2", "L-7212CCBC", "vCPUs of P instances on Spot")
_ADDRESSES = _Quota("ec2", "L-0263D0A3", "elastic IPs")
_NETWORKS = _Quota("vpc", "L-F678F1CE", "VPCs")


def gpu_quota(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """vCPUs of all pools that are bought by the hour; what is reserved has counted when it was bought."""
    for quota, kind in ((_ON_DEMAND, OnDemand), (_SPOT, Spot)):
        pools = [nodes for nodes in plan.gpu_nodes if isinstance(nodes.purchase, kind)]
        if pools:
            needed = sum(nodes.pool.nodes * nodes.pool.instance_type.vcpus for nodes in pools)
            yield _answer(quota, needed, account.quota(quota.service, quota.code))


def address_quota(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """An elastic IP for each NAT gateway."""
    if isinstance(plan.network, PlannedNetwork):
        zones = len(plan.network.subnets) - len(plan.network.local)
        needed = zones if plan.network.nat_per_zone else 1
        allowed = account.quota(_ADDRESSES.service, _ADDRESSES.code)
        yield _answer(_ADDRESSES, needed, allowed, account.addresses_of_others(plan.name))


def network_quota(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """One VPC."""
    if isinstance(plan.network, PlannedNetwork):
        allowed = account.quota(_NETWORKS.service, _NETWORKS.code)
        yield _answer(_NETWORKS, 1, allowed, account.networks_of_others(plan.name))


def _answer(quota: _Quota, needed: int, allowed: float, used: int | None = None) -> Answer:
    question = f"quota {quota.code}: {quota.title}"
    others = "what runs not counted" if used is None else f"{used} in use by others"
    found = f"{needed} needed of {allowed:.0f}, {others}"
    if needed + (used or 0) <= allowed:
        return good(question, found)
    enough = math.ceil(needed + (used or 0))
    fix = (
        f"aws service-quotas request-service-quota-increase --service-code {quota.service} "
        f"--quota-code {quota.code} --desired-value {enough}"
    )
    return wrong(question, found, fix)
