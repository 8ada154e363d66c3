"""All checks of one plan against the account; capacity has a file of its own."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from hardware import is_local_zone
from operations.document import Verdict
from operations.preflight.account import Account, is_of
from operations.preflight.answer import Answer, good, guarded, unknown, wrong
from operations.preflight.capacity_checks import capacity_answers
from operations.preflight.network_checks import API_SERVER, adopted, reached
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes, zone_group
from stacks.settings.cluster import LustreStorage, OnDemand, OwnNetwork, Spot

# https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html (subnet requirements)
_WITHOUT_CONTROL_PLANE = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})


_Quota: TypeAlias = tuple[str, str, str]
"""Service, code and title of a limit of the account.

It starts with no vCPU of P instances, five VPCs and five elastic IPs. Codes:
https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html.
"""
_ON_DEMAND = ("ec2", "L-417A185B", "vCPUs of P instances on demand")
_SPOT_P5 = ("ec2", "L-C4BD4855", "vCPUs of P5 instances on Spot")
"""P4, P3 and P2 have L-7212CCBC together; the page names none for P6."""
_STANDARD = ("ec2", "L-1216C47A", "vCPUs of standard instances on demand")
_STANDARD_FAMILIES = tuple("acdhimrtz")
_OTHER_FAMILIES = ("dl", "hpc", "inf", "mac", "trn")
"""With quotas of their own (https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html)."""
_ADDRESSES = ("ec2", "L-0263D0A3", "elastic IPs")
_NETWORKS = ("vpc", "L-F678F1CE", "VPCs")


def answers(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """Ask everything; where AWS does not say, the answer is unknown.

    With credentials of another account nothing more is asked: every answer would be about that one.
    """
    identity = list(guarded("account", _identity, plan, account))
    yield from identity
    if any(answer.verdict is Verdict.WRONG for answer in identity):
        return
    for subject, check in _CHECKS:
        yield from guarded(subject, check, plan, account)
    for nodes in plan.gpu_nodes:
        yield from guarded(f"pool {nodes.pool.name}: offer", _offered, nodes, account)
        yield from guarded(f"pool {nodes.pool.name}: capacity", capacity_answers, nodes, account)


def _gpu_quota(plan: EksPlan, account: Account) -> Iterator[Answer]:
    # What is reserved has counted when it was bought.
    needed: Counter[_Quota] = Counter()
    for nodes in plan.gpu_nodes:
        kind = nodes.pool.instance_type
        vcpus = nodes.pool.nodes * kind.vcpus
        if isinstance(nodes.purchase, OnDemand):
            needed[_ON_DEMAND] += vcpus
        elif isinstance(nodes.purchase, Spot) and kind.name.startswith("p5"):
            needed[_SPOT_P5] += vcpus
    for quota, vcpus in needed.items():
        yield _quota_answer(account, quota, vcpus)


def _system_quota(plan: EksPlan, account: Account) -> Iterator[Answer]:
    wanted = plan.cluster.system_nodes
    name = wanted.instance_type
    if name.startswith(_STANDARD_FAMILIES) and not name.startswith(_OTHER_FAMILIES):
        answer = account.ask("ec2", "describe_instance_types", InstanceTypes=[name])
        vcpus = int(answer["InstanceTypes"][0]["VCpuInfo"]["DefaultVCpus"])
        yield _quota_answer(account, _STANDARD, wanted.nodes * vcpus)


def _address_quota(plan: EksPlan, account: Account) -> Iterator[Answer]:
    # An elastic IP for each NAT gateway.
    if isinstance(plan.cluster.network, OwnNetwork):
        zones = sum(subnet.public is not None for subnet in plan.subnets)
        needed = zones if plan.cluster.network.nat_per_zone else 1
        there = account.ask("ec2", "describe_addresses")["Addresses"]
        yield _quota_answer(account, _ADDRESSES, needed, _of_others(plan, there))


def _network_quota(plan: EksPlan, account: Account) -> Iterator[Answer]:
    if isinstance(plan.cluster.network, OwnNetwork):
        there = account.ask("ec2", "describe_vpcs")["Vpcs"]
        yield _quota_answer(account, _NETWORKS, 1, _of_others(plan, there))


def _of_others(plan: EksPlan, there: Sequence[Mapping[str, Any]]) -> int:
    return sum(not is_of(plan.cluster.name, each) for each in there)


def _addons(plan: EksPlan, account: Account) -> Iterator[Answer]:
    wanted = plan.addon_builds
    offered = {name: _addon_builds(name, plan.cluster.version, account) for name in wanted}
    missing = [name for name, build in wanted.items() if build not in offered[name]]
    if not missing:
        question = f"add-ons for Kubernetes {plan.cluster.version}"
        yield good(question, f"EKS has the pinned builds of all {len(wanted)}")
    for name in missing:
        newest = offered[name][0] if offered[name] else "another cluster.version, for which EKS has it"
        found = f"EKS has no build {wanted[name]} for Kubernetes {plan.cluster.version}"
        yield wrong(f"add-on {name}", found, f"EKS_ADDONS in stacks/plan/versions.py: {newest}")


def _addon_builds(name: str, kubernetes: str, account: Account) -> list[str]:
    """Return the builds of an add-on, newest first; none of one that EKS does not know."""
    answer = account.ask("eks", "describe_addon_versions", addonName=name, kubernetesVersion=kubernetes)
    return [str(each["addonVersion"]) for addon in answer["addons"] for each in addon["addonVersions"]]


def _zones(plan: EksPlan, account: Account) -> Iterator[Answer]:
    # An id such as use1-az6 is that of the same zone in every account.
    listed = account.ask("ec2", "describe_availability_zones")["AvailabilityZones"]
    ids = {str(each["ZoneName"]): str(each["ZoneId"]) for each in listed}
    yield _control_plane(plan, ids)
    if plan.storage is not None and isinstance(plan.storage.typed, LustreStorage):
        # FSx is not in every zone, and no request lists those in which it is: its console alone does
        # (https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi-create.html).
        if (zone := str(plan.storage.zone)) not in ids:
            fix = "modelCache.storage.zone: another zone"
            yield wrong(f"FSx for Lustre in {zone}", f"this account has no {zone}", fix)
        if plan.cluster.version == "1.36":
            # awslabs/amazon-eks-ami v20260714: kernel 6.18.
            found = "nodes have kernel 6.18, and AWS does not say that Lustre's client runs on it"
            yield unknown("FSx for Lustre with Kubernetes 1.36", f"{found}; on 1.35 it is 6.12")


def _identity(plan: EksPlan, account: Account) -> Answer:
    found = str(account.ask("sts", "get_caller_identity")["Account"])
    if found == plan.cluster.account_id:
        return good("account", f"{found}, {plan.cluster.region}")
    return wrong("account", f"the credentials are of {found}", f"credentials of {plan.cluster.account_id}")


def _system_offered(plan: EksPlan, account: Account) -> Answer:
    wanted, kind = plan.control_plane, plan.cluster.system_nodes.instance_type
    question, offered = f"system nodes: {kind}", _offered_in(kind, account)
    missing = [zone for zone in wanted if zone not in offered]
    if not missing:
        return good(question, f"offered in {', '.join(wanted)}")
    fix = "cluster.systemNodes.instanceType: another one, or zones that have it"
    return wrong(question, f"not offered in {', '.join(missing)}", fix)


def _offered(nodes: PlannedNodes, account: Account) -> Answer:
    zone, kind = nodes.zone, nodes.pool.instance_type.name
    question = f"pool {nodes.pool.name}: {kind} in {zone}"
    if is_local_zone(zone) and _is_to_be_opted_in(zone, account):
        # EC2 lists no offers of a zone that the account does not see.
        return good(question, f"`up` opts in to zone group {zone_group(zone)}; ask again after it")
    zones = _offered_in(kind, account)
    if zone in zones:
        return good(question, "offered")
    offered = ", ".join(sorted(zones))
    fix = f"nodePools[].zone: one of {offered}" if zones else "another cluster.region: this one has none"
    return wrong(question, "not offered", fix)


def _offered_in(instance_type: str, account: Account) -> frozenset[str]:
    """Return the zones of the region, Local Zones included, in which the type can be launched."""
    answer = account.ask(
        "ec2",
        "describe_instance_type_offerings",
        LocationType="availability-zone",
        Filters=[{"Name": "instance-type", "Values": [instance_type]}],
    )
    return frozenset(item["Location"] for item in answer["InstanceTypeOfferings"])


def _is_to_be_opted_in(zone: str, account: Account) -> bool:
    listed = account.ask("ec2", "describe_availability_zones", AllAvailabilityZones=True)["AvailabilityZones"]
    return any(each["ZoneName"] == zone and each["OptInStatus"] == "not-opted-in" for each in listed)


def _control_plane(plan: EksPlan, ids: Mapping[str, str]) -> Answer:
    question = "zones of the control plane"
    own = isinstance(plan.cluster.network, OwnNetwork)
    fix = f"cluster.network.{'zones' if own else 'subnets'}: others of {', '.join(_possible(ids))}"
    zones = plan.control_plane
    missing = [zone for zone in zones if zone not in ids]
    if missing:
        return wrong(question, f"this account has no {', '.join(missing)}", fix)
    refused = [zone for zone in zones if ids[zone] in _WITHOUT_CONTROL_PLANE]
    if refused:
        return wrong(question, f"EKS takes no subnet in {_with_ids(refused, ids)}", fix)
    return good(question, _with_ids(zones, ids))


def _possible(ids: Mapping[str, str]) -> list[str]:
    # Local Zones, whose ids name their place too, take no control plane either.
    return sorted(
        name for name, zone in ids.items() if zone.count("-") == 1 and zone not in _WITHOUT_CONTROL_PLANE
    )


def _with_ids(zones: tuple[str, ...] | list[str], ids: Mapping[str, str]) -> str:
    return ", ".join(f"{zone} ({ids[zone]})" for zone in zones)


def _quota_answer(account: Account, quota: _Quota, needed: int, used: int | None = None) -> Answer:
    service, code, title = quota
    answer = account.ask("service-quotas", "get_service_quota", ServiceCode=service, QuotaCode=code)
    allowed = float(answer["Quota"]["Value"])
    question = f"quota {code}: {title}"
    others = "what runs not counted" if used is None else f"{used} in use by others"
    found = f"{needed} needed of {allowed:.0f}, {others}"
    if needed + (used or 0) <= allowed:
        return good(question, found)
    fix = (
        f"aws service-quotas request-service-quota-increase --service-code {service} "
        f"--quota-code {code} --desired-value {needed + (used or 0)}"
    )
    return wrong(question, found, fix)


_CHECKS: tuple[tuple[str, Callable[[EksPlan, Account], Answer | Iterator[Answer]]], ...] = (
    ("zones", _zones),
    ("network", adopted),
    (API_SERVER, reached),
    ("system nodes", _system_offered),
    ("add-ons", _addons),
    ("quota: P instances", _gpu_quota),
    ("quota: system nodes", _system_quota),
    ("quota: VPCs", _network_quota),
    ("quota: elastic IPs", _address_quota),
)
"""What each check is about, where AWS does not answer it."""
