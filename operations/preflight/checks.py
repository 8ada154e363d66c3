"""All checks of one plan against the account; capacity has a file of its own."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from components.zone_subnets import zone_group
from operations.document import CheckResult, Verdict, good, unknown, wrong
from operations.preflight.account import Account, is_of
from operations.preflight.answer import guarded
from operations.preflight.capacity_checks import capacity_answers
from operations.preflight.network_checks import adopted, reached
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNetwork, PlannedNodes
from stacks.settings.cluster import CapacityBlock, LustreStorage, OnDemand, Reservation, Spot

# https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html (subnet requirements)
_WITHOUT_CONTROL_PLANE = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})


class _Quota(NamedTuple):
    """A limit of the account, which starts with no vCPU of P instances, five VPCs and five elastic IPs.

    Codes: https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html.
    """

    service: str
    code: str
    title: str


_ON_DEMAND = _Quota("ec2", "L-417A185B", "vCPUs of P instances on demand")
_SPOT_P5 = _Quota("ec2", "L-C4BD4855", "vCPUs of P5 instances on Spot")
"""P4, P3 and P2 have L-7212CCBC together; the page names none for P6."""
_STANDARD = _Quota("ec2", "L-1216C47A", "vCPUs of standard instances on demand")
_STANDARD_FAMILIES = tuple("acdhimrtz")
_ADDRESSES = _Quota("ec2", "L-0263D0A3", "elastic IPs")
_NETWORKS = _Quota("vpc", "L-F678F1CE", "VPCs")


def answers(plan: EksPlan, account: Account) -> Iterator[CheckResult]:
    """Ask everything; where AWS does not say, the answer is unknown.

    With credentials of another account nothing more is asked: every answer would be about that one.
    """
    identity = list(guarded("account", _identity(plan, account)))
    yield from identity
    if any(answer.verdict is Verdict.WRONG for answer in identity):
        return
    for question, ask in _CHECKS:
        yield from guarded(question, ask(plan, account))
    for nodes in plan.gpu_nodes:
        pool, purchase = f"pool {nodes.pool.name}", nodes.purchase
        question = f"{pool}: {nodes.pool.instance_type.name} in {nodes.zone.name}"
        yield from guarded(question, _offered(nodes, account))
        if isinstance(purchase, CapacityBlock | Reservation):
            yield from guarded(f"{pool}: {purchase.id}", capacity_answers(nodes, purchase, account))


def _identity(plan: EksPlan, account: Account) -> Iterator[CheckResult]:
    found = str(account.ask("sts", "get_caller_identity")["Account"])
    if found == plan.cluster.account_id:
        yield good(f"{found}, {plan.cluster.region}")
    else:
        yield wrong(f"the credentials are of {found}", f"credentials of {plan.cluster.account_id}")


def _zones(plan: EksPlan, account: Account) -> Iterator[CheckResult]:
    # An id such as use1-az6 is that of the same zone in every account.
    listed = account.ask("ec2", "describe_availability_zones")["AvailabilityZones"]
    ids = {str(each["ZoneName"]): str(each["ZoneId"]) for each in listed}
    # Local Zones, whose ids name their place too, take no control plane either.
    possible = [
        name for name, zone in ids.items() if zone.count("-") == 1 and zone not in _WITHOUT_CONTROL_PLANE
    ]
    zones = plan.network.control_plane
    refused = [
        f"{zone} ({ids.get(zone, 'no zone of this account')})" for zone in zones if zone not in possible
    ]
    if refused:
        setting = "zones" if isinstance(plan.network, PlannedNetwork) else "subnets"
        fix = f"cluster.network.{setting}: others of {', '.join(sorted(possible))}"
        yield wrong(f"EKS takes no subnet in {', '.join(refused)}", fix)
    else:
        yield good(", ".join(f"{zone} ({ids[zone]})" for zone in zones))


def _lustre(plan: EksPlan, _: Account) -> Iterator[CheckResult]:
    # awslabs/amazon-eks-ami v20260714: kernel 6.18.
    is_lustre = plan.storage is not None and isinstance(plan.storage.typed, LustreStorage)
    if is_lustre and plan.cluster.version == "1.36":
        yield unknown(
            "nodes have kernel 6.18, and AWS does not say that Lustre's client runs on it; on 1.35 6.12"
        )


def _system_offered(plan: EksPlan, account: Account) -> Iterator[CheckResult]:
    kind = plan.cluster.system_nodes.instance_type
    yield _offer(kind, plan.network.control_plane, "cluster.systemNodes.instanceType", account)


def _offered(nodes: PlannedNodes, account: Account) -> Iterator[CheckResult]:
    zone = nodes.zone
    if zone.is_local and _is_to_be_opted_in(zone.name, account):
        # EC2 lists no offers of a zone that the account does not see.
        yield good(f"`up` opts in to zone group {zone_group(zone.name)}; ask again after it")
    else:
        yield _offer(nodes.pool.instance_type.name, (zone.name,), "nodePools[].zone", account)


def _offer(kind: str, zones: Sequence[str], setting: str, account: Account) -> CheckResult:
    """Answer whether the zones, which may be Local Zones, have an instance type."""
    answer = account.ask(
        "ec2",
        "describe_instance_type_offerings",
        LocationType="availability-zone",
        Filters=[{"Name": "instance-type", "Values": [kind]}],
    )
    offered = sorted(item["Location"] for item in answer["InstanceTypeOfferings"])
    if missing := [zone for zone in zones if zone not in offered]:
        places = ", ".join(offered) or "no zone of this region"
        return wrong(f"{kind} is not offered in {', '.join(missing)}", f"{setting}: {kind} is in {places}")
    return good(f"{kind} is offered in {', '.join(zones)}")


def _is_to_be_opted_in(zone: str, account: Account) -> bool:
    listed = account.ask("ec2", "describe_availability_zones", AllAvailabilityZones=True)["AvailabilityZones"]
    return any(each["ZoneName"] == zone and each["OptInStatus"] == "not-opted-in" for each in listed)


def _addons(plan: EksPlan, account: Account) -> Iterator[CheckResult]:
    version = plan.cluster.version
    missing: list[CheckResult] = []
    for name, build in plan.addon_builds.items():
        asked = {"addonName": name, "kubernetesVersion": version}
        found = account.ask("eks", "describe_addon_versions", **asked)["addons"]
        # The newest first; none of an add-on that EKS does not know.
        builds = [str(each["addonVersion"]) for addon in found for each in addon["addonVersions"]]
        if build not in builds:
            newest = builds[0] if builds else "another cluster.version, for which EKS has it"
            text = f"EKS has no build {build} for Kubernetes {version}"
            missing.append(wrong(text, f"EKS_ADDONS in stacks/plan/versions.py: {newest}", f"add-on {name}"))
    has_all = f"EKS has the pinned builds of all {len(plan.addon_builds)} for Kubernetes {version}"
    yield from missing or [good(has_all)]


def _gpu_quota(plan: EksPlan, account: Account) -> Iterator[CheckResult]:
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


def _system_quota(plan: EksPlan, account: Account) -> Iterator[CheckResult]:
    wanted = plan.cluster.system_nodes
    if wanted.instance_type.startswith(_STANDARD_FAMILIES):
        answer = account.ask("ec2", "describe_instance_types", InstanceTypes=[wanted.instance_type])
        vcpus = int(answer["InstanceTypes"][0]["VCpuInfo"]["DefaultVCpus"])
        yield _quota_answer(account, _STANDARD, wanted.nodes * vcpus)


def _network_quotas(plan: EksPlan, account: Account) -> Iterator[CheckResult]:
    if not isinstance(plan.network, PlannedNetwork):
        return
    # An elastic IP for each NAT gateway.
    zones = sum(subnet.public is not None for subnet in plan.network.subnets)
    addresses = zones if plan.network.typed.nat_per_zone else 1
    for quota, operation, key, needed in (
        (_NETWORKS, "describe_vpcs", "Vpcs", 1),
        (_ADDRESSES, "describe_addresses", "Addresses", addresses),
    ):
        others = [each for each in account.ask("ec2", operation)[key] if not is_of(plan.cluster.name, each)]
        yield _quota_answer(account, quota, needed, len(others))


def _quota_answer(account: Account, quota: _Quota, needed: int, used: int | None = None) -> CheckResult:
    answer = account.ask(
        "service-quotas", "get_service_quota", ServiceCode=quota.service, QuotaCode=quota.code
    )
    allowed = float(answer["Quota"]["Value"])
    question, wanted = f"quota {quota.code}: {quota.title}", needed + (used or 0)
    others = "what runs not counted" if used is None else f"{used} in use by others"
    found = f"{needed} needed of {allowed:.0f}, {others}"
    if wanted <= allowed:
        return good(found, question)
    fix = (
        f"aws service-quotas request-service-quota-increase --service-code {quota.service} "
        f"--quota-code {quota.code} --desired-value {wanted}"
    )
    return wrong(found, fix, question)


_CHECKS: tuple[tuple[str, Callable[[EksPlan, Account], Iterator[CheckResult]]], ...] = (
    ("zones of the control plane", _zones),
    ("FSx for Lustre with Kubernetes 1.36", _lustre),
    ("network", adopted),
    ("API server from here", reached),
    ("system nodes", _system_offered),
    ("add-ons", _addons),
    ("quota: P instances", _gpu_quota),
    ("quota: system nodes", _system_quota),
    ("quota: VPCs and elastic IPs", _network_quotas),
)
"""What each check is about, where its answer does not say it itself."""
