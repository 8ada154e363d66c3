"""A cluster that the stack makes: account, network, nodes, storage, operators, and its idle GPUs."""

from collections.abc import Iterator

from cli.output import Row
from cli.price_age import aged, today
from components.chart_values import Chart
from components.purchase import CapacityBlock, Reservation
from components.storage_kinds import EbsDisk, Efs, InstanceStore, Lustre
from hardware import FSX_LUSTRE_PRICES, lustre_usd_per_hour
from stacks.plan.cache_plan import CachePlan, OwnVolume
from stacks.plan.infrastructure.eks_plan import (
    AdoptedNetwork,
    EksPlan,
    PlannedNetwork,
    PlannedNodes,
)
from stacks.plan.infrastructure.prices import NAMES
from stacks.plan.versions import (
    DRA_DRIVER,
    EFA_DEVICE_PLUGIN,
    GPU_OPERATOR,
    PROMETHEUS_STACK,
    SUPPORT_ENDS_SOON,
)

_PRICED_REGION = "us-east-1"


# EKS takes the newest release for the group's Kubernetes version whenever it makes or updates a group that
# names none (https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html).
_AMIS = "AMIs float: newest at each update"


def infrastructure_rows(plan: EksPlan, cache: CachePlan) -> Iterator[Row]:
    """Return what is made in the account before anything runs on it."""
    version = f"Kubernetes {plan.version}{_ends(plan.version)}"
    where = f"{version} in {plan.region}, account {plan.account_id}"
    yield "CLUSTER", f"eks {plan.name}, {where}, reached from {_reached_from(plan)}"
    yield "NETWORK", _network(plan)
    system = plan.system_nodes
    yield (
        "NODES",
        f"system: {system.nodes} x {system.instance_type} on demand, for everything without GPUs; {_AMIS}",
    )
    for nodes in plan.gpu_nodes:
        yield "", f"{nodes.pool.name}: {_bought(nodes)}"
    yield "STORAGE", f"model cache: {_storage(plan, cache)}; the rest: gp3 disks"
    yield "OPERATORS", ", ".join(_chart(chart) for chart in _charts(plan))


def _reached_from(plan: EksPlan) -> str:
    return f"the VPC and {', '.join(plan.public_cidrs)}" if plan.public_cidrs else "the VPC alone"


def _ends(version: str) -> str:
    ends = SUPPORT_ENDS_SOON.get(version)
    return f" (standard support ends {ends})" if ends else ""


def _network(plan: EksPlan) -> str:
    network = plan.network
    if isinstance(network, AdoptedNetwork):
        return f"existing, {network.vpc_id}, subnets in {', '.join(network.subnets)}"
    zones = [subnet.zone for subnet in network.subnets if subnet.public is not None]
    gateways = "a NAT gateway in each zone" if network.nat_per_zone else "one NAT gateway"
    return f"own, {network.cidr}, {', '.join(zones)}{_local(network)}, {gateways}"


def _local(network: PlannedNetwork) -> str:
    names = ", ".join(zone.name for zone in network.local)
    return f", Local Zone {names}" if names else ""


def _bought(nodes: PlannedNodes) -> str:
    purchase = nodes.purchase
    text = f"{NAMES[purchase.kind]} in {nodes.zone.name}"
    match purchase:
        case Reservation(id=number):
            return f"{text}, {number}"
        case CapacityBlock(id=number, starts=starts, phase=phase):
            return f"{text}, {number}, from {starts}, phase {phase}"
        case _:
            return text


def _storage(plan: EksPlan, cache: CachePlan) -> str:
    match plan.storage:
        case Lustre(zone=zone, size_gib=size, throughput=throughput):
            dollars = f"${lustre_usd_per_hour(size, throughput):.2f} an hour"
            where = "" if plan.region == _PRICED_REGION else f" in {_PRICED_REGION}"
            price = f"{dollars}{where} ({aged(FSX_LUSTRE_PRICES.date, today())})"
            return f"FSx for Lustre in {zone}, {throughput} MB/s a TiB, {price}{_far(plan)}"
        case Efs():
            return f"EFS, in every zone of the region above{_far(plan)}"
        case EbsDisk(throughput=throughput):
            return f"an EBS disk of the one GPU node, gp3, {throughput} MiB/s; frontends run there too"
        case InstanceStore(directory):
            return f"a copy on each GPU node's own disks, {directory}; frontends run there too"
        case None:
            return f"class {cache.class_name}" if isinstance(cache, OwnVolume) else "a volume that exists"


def _far(plan: EksPlan) -> str:
    # Their nodes have no address of the file system in their own zone: every read goes to the region.
    return " (slow from the Local Zone)" if any(nodes.zone.is_local for nodes in plan.gpu_nodes) else ""


def _charts(plan: EksPlan) -> Iterator[Chart]:
    yield GPU_OPERATOR
    if plan.uses_compute_domains:
        yield DRA_DRIVER
    if plan.efa_instance_types:
        yield EFA_DEVICE_PLUGIN
    if plan.monitoring:
        yield PROMETHEUS_STACK


def _chart(chart: Chart) -> str:
    return f"{chart.name.rpartition('/')[2]} {chart.version}"
