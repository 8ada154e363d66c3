"""Do the zones take what the stack puts there?

A zone has another name in each account, so that only its id says which one it is.
"""

from collections.abc import Iterator, Mapping

from components.storage_kinds import Lustre
from operations.preflight.account import Account
from operations.preflight.answers import Answer, good, unknown, wrong
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNetwork

# https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html (subnet requirements)
_WITHOUT_CONTROL_PLANE = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})


def zone_answers(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """Answer for the control plane, and for a file system that is in one zone."""
    ids = account.zone_ids()
    yield from _control_plane(plan, ids)
    if isinstance(plan.storage, Lustre):
        yield _file_system(plan.storage, ids)


def _control_plane(plan: EksPlan, ids: Mapping[str, str]) -> Iterator[Answer]:
    question = "zones of the control plane"
    own = isinstance(plan.network, PlannedNetwork)
    fix = f"cluster.network.{'zones' if own else 'subnets'}: others of {', '.join(_possible(ids))}"
    zones = plan.network.control_plane
    missing = [zone for zone in zones if zone not in ids]
    if missing:
        yield wrong(question, f"this account has no {', '.join(missing)}", fix)
        return
    refused = [zone for zone in zones if ids[zone] in _WITHOUT_CONTROL_PLANE]
    if refused:
        yield wrong(question, f"EKS takes no subnet in {_shown(refused, ids)}", fix)
    else:
        yield good(question, _shown(zones, ids))


def _file_system(storage: Lustre, ids: Mapping[str, str]) -> Answer:
    zone = storage.zone
    question = f"FSx for Lustre in {zone}"
    if zone not in ids:
        return wrong(question, f"this account has no {zone}", "modelCache.storage.zone: another zone")
    # https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi-create.html sends people to the console.
    where = "FSx is not in every zone, and only its console lists them (Create file system, Subnet)"
    return unknown(question, f"{_shown([zone], ids)}: {where}")


def _possible(ids: Mapping[str, str]) -> list[str]:
    # Local Zones, whose ids name their place too, take no control plane either.
    return sorted(
        name for name, zone in ids.items() if zone.count("-") == 1 and zone not in _WITHOUT_CONTROL_PLANE
    )


def _shown(zones: tuple[str, ...] | list[str], ids: Mapping[str, str]) -> str:
    return ", ".join(f"{zone} ({ids[zone]})" for zone in zones)
