"""What a stack stands on: layers, account, network, nodes, storage, operators and platform."""

import datetime as dt
from collections.abc import Iterator

from explain.costs import aged
from explain.explanation.section import Section
from hardware import FSX_LUSTRE_PRICES, is_local_zone, lustre_usd_per_hour
from stacks.plan.cache_plan import CachePlan, NodeCopies, OwnVolume
from stacks.plan.infrastructure.eks_plan import (
    EksPlan,
    PlannedNodes,
)
from stacks.plan.infrastructure.prices import NAMES
from stacks.plan.platform.platform_plan import OwnPlatform, PlatformPlan
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.plan.versions import (
    DRA_DRIVER,
    EFA_DEVICE_PLUGIN,
    GPU_OPERATOR,
    PROMETHEUS_STACK,
    SUPPORT_ENDS_SOON,
    Chart,
)
from stacks.settings.cluster import (
    AdoptedNetworkSettings,
    CapacityBlock,
    EbsStorage,
    EfsStorage,
    InstanceStoreStorage,
    LustreStorage,
    Reservation,
)
from stacks.settings.platform import Etcd, Nats
from stacks.updates.planned_update import waiting_text

_PRICED_REGION = "us-east-1"
# EKS takes the newest release for the group's Kubernetes version whenever it makes or updates a group that
# names none (https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html).
_FLOATING = "AMIs float: newest at each update"


def foundation(stack: StackPlan, today: dt.date) -> Iterator[Section]:
    """Yield what the stack is, and what it stands on."""
    recipe = stack.serving.placed.recipe.name
    what = f"{stack.name} ({stack.source}), recipe {recipe}, lifecycle {stack.settings.lifecycle}"
    yield Section("Stack", (what,))
    yield from layer_sections(stack)
    yield from _cluster(stack, today)
    if stack.platform is None:
        without = f"none: {stack.serving.placed.recipe.server} serves without Dynamo"
        yield Section("Platform", (without,))
    elif stack.layers.own != ("infrastructure",):
        yield Section("Platform", (_platform(stack, stack.platform),))
    waits = [waiting_text(nodes) for nodes in waited_for(stack)]
    if waits:
        text = f"no graph is made yet: {'; '.join(waits)}; then purchase.phase: active, and `up`"
        yield Section("Waiting", (text,))


def layer_sections(stack: StackPlan) -> Iterator[Section]:
    """Yield which layers are this stack's, where others own some."""
    layers = stack.layers
    if not layers.shared and not layers.joined:
        return
    texts = [f"this stack owns {' and '.join(layers.own)}, and nothing else of what its file describes"]
    texts += [
        f"{layer} is stack {owner}'s: `dynamo-stack explain {owner}`"
        for layer, owner in layers.joined.items()
    ]
    yield Section("Layers", ("; ".join(texts),))


def _network(plan: EksPlan) -> str:
    network = plan.cluster.network
    if isinstance(network, AdoptedNetworkSettings):
        return f"existing, {network.vpc_id}, subnets in {', '.join(network.subnets)}"
    zones = [subnet.zone for subnet in plan.subnets if subnet.public is not None]
    local = ", ".join(subnet.zone for subnet in plan.subnets if subnet.public is None)
    beside = f", Local Zone {local}" if local else ""
    gateways = "a NAT gateway in each zone" if network.nat_per_zone else "one NAT gateway"
    return f"own, {network.cidr}, {', '.join(zones)}{beside}, {gateways}"


def _purchase_text(nodes: PlannedNodes) -> str:
    parts = [f"{NAMES[nodes.purchase.kind]} in {nodes.zone}"]
    match nodes.purchase:
        case Reservation(id=number):
            parts.append(number)
        case CapacityBlock(id=number, starts=starts, phase=phase):
            parts += [number, f"from {starts}", f"phase {phase}"]
        case _:
            pass
    return ", ".join((*parts, *filter(None, [_image(nodes.ami_release)])))


def _image(release: str | None) -> str | None:
    return f"image {release}" if release else None


def _storage(plan: EksPlan, cache: CachePlan, today: dt.date) -> str:
    storage = plan.storage
    if storage is None:
        return f"class {cache.class_name}" if isinstance(cache, OwnVolume) else "a volume that exists"
    match storage.typed:
        case LustreStorage(throughput=throughput):
            dollars = f"${lustre_usd_per_hour(storage.size_gib, throughput):.2f} an hour"
            where = "" if plan.cluster.region == _PRICED_REGION else f" in {_PRICED_REGION}"
            price = f"{dollars}{where} ({aged(FSX_LUSTRE_PRICES.date, today)})"
            return f"FSx for Lustre in {storage.zone}, {throughput} MB/s a TiB, {price}{_slow_reads(plan)}"
        case EfsStorage():
            return f"EFS, in every zone of the region above{_slow_reads(plan)}"
        case EbsStorage(throughput=throughput):
            return f"an EBS disk of the one GPU node, gp3, {throughput} MiB/s; frontends run there too"
        case InstanceStoreStorage():
            directory = cache.nodes.directory if isinstance(cache, NodeCopies) else ""
            return f"a copy on each GPU node's own disks, {directory}; frontends run there too"


def _slow_reads(plan: EksPlan) -> str:
    # Their nodes have no address of the file system in their own zone: every read goes to the region.
    return " (slow from the Local Zone)" if any(is_local_zone(nodes.zone) for nodes in plan.gpu_nodes) else ""


def _charts(plan: EksPlan) -> Iterator[Chart]:
    yield GPU_OPERATOR
    if plan.uses_compute_domains:
        yield DRA_DRIVER
    if plan.efa_instance_types:
        yield EFA_DEVICE_PLUGIN
    if plan.cluster.monitoring:
        yield PROMETHEUS_STACK


def _platform(stack: StackPlan, platform: PlatformPlan) -> str:
    owner = stack.layers.joined.get("platform")
    runs = f"run by stack {owner}" if owner else platform.kind
    parts = [f"{runs}, Dynamo {platform.version} in {platform.namespace}"]
    if isinstance(platform, OwnPlatform):
        typed = platform.typed
        parts += [f"discovery {typed.discovery}", _server("NATS", typed.nats, platform.nats_address)]
        if typed.etcd is not None:
            parts.append(_server("etcd", typed.etcd, platform.etcd_address))
    lines = stack.serving.placed.recipe.runtime.platform_lines
    stands = f"; recipe for {', '.join(lines)}" if stack.layers.owns("serving") else ""
    return f"{', '.join(parts)}{stands}"


def _cluster(stack: StackPlan, today: dt.date) -> Iterator[Section]:
    if stack.infrastructure is not None:
        yield from _infrastructure(stack.infrastructure, stack.cache, today)
        return
    if owner := stack.layers.joined.get("infrastructure"):
        values = stack.layers.contracts["infrastructure"]
        place = f"in {values['cluster.region']}, account {values['cluster.accountId']}"
        made = f"eks {values['cluster.name']} {place}, made by stack {owner}"
        yield Section("Cluster", (made,))
        return
    cluster = stack.settings.cluster
    kubeconfig = cluster.kubeconfig or "$KUBECONFIG"
    server = f"server must be {cluster.server}" if cluster.server else "server not checked"
    yield Section("Cluster", (f"{cluster.kind}, context {cluster.context} of {kubeconfig}, {server}",))


def _server(name: str, typed: Nats | Etcd, address: str) -> str:
    if typed.kind == "external":
        return f"{name} {address}"
    return f"{name} {typed.kind} x{typed.members if typed.kind == 'own' else 1}"


def _infrastructure(plan: EksPlan, cache: CachePlan, today: dt.date) -> Iterator[Section]:
    cluster = plan.cluster
    ends = SUPPORT_ENDS_SOON.get(cluster.version)
    support = f" (standard support ends {ends})" if ends else ""
    version = f"Kubernetes {cluster.version}{support}"
    outside = ", ".join(cluster.public_cidrs)
    reached_from = f"the VPC and {outside}" if outside else "the VPC alone"
    where = f"{version} in {cluster.region}, account {cluster.account_id}"
    yield Section("Cluster", (f"eks {cluster.name}, {where}, reached from {reached_from}",))
    yield Section("Network", (_network(plan),))
    system = cluster.system_nodes
    everything_else = (
        f"system: {system.nodes} x {system.instance_type} on demand, for everything without GPUs; "
        f"{_image(system.ami_release) or _FLOATING}"
    )
    pools = (f"{nodes.pool.name}: {_purchase_text(nodes)}" for nodes in plan.gpu_nodes)
    yield Section("Nodes", (everything_else, *pools))
    storage = f"model cache: {_storage(plan, cache, today)}; the rest: gp3 disks"
    yield Section("Storage", (storage,))
    operators = (f"{chart.name.rpartition('/')[2]} {chart.version}" for chart in _charts(plan))
    yield Section("Operators", (", ".join(operators),))
