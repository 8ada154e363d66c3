"""Node groups: what EC2 and EKS would refuse of the pools, and what their nodes are made of."""

from collections.abc import Iterator, Mapping, Sequence

from components.node_template import NodeTemplate
from hardware import INSTANCE_TYPES, InstanceType, NetworkInterface
from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import PlannedNodes, tags_of, zone_named
from stacks.plan.placement.pools import Pool
from stacks.settings.cluster import CapacityBlock, EksClusterSettings, OnDemand, Purchase
from stacks.settings.stack import NodePoolSettings

_LONGEST_NAME = 63
"""EKS takes no longer name of a node group (EKS API, CreateNodegroup)."""
_SYSTEM_ROOT_GIB = 100
# Images of the runtime are some 20 GB each, and two are there during an update.
_GPU_ROOT_GIB = 200
_ROOT_VOLUME_TYPE = "gp3"
_FIRST_GB200_IMAGE = "20251103"
"""https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html"""
_OPTIONS = {
    "onDemand": "on-demand",
    "spot": "spot",
    "reservation": "on-demand",
    "capacityBlock": "capacity-block",
}
_IN_SETTINGS = {"on-demand": "onDemand or reservation", "spot": "spot", "capacity-block": "capacityBlock"}


def pool_problems(
    cluster: EksClusterSettings, node_pools: Sequence[NodePoolSettings], pools: Mapping[str, Pool]
) -> Iterator[Problem]:
    """Yield why a group of nodes could not be made in the account."""
    yield from _image_problems(
        cluster, cluster.system_nodes.ami_release, None, "cluster.systemNodes.amiRelease"
    )
    system_type = cluster.system_nodes.instance_type
    if system_type in INSTANCE_TYPES:
        key, message = "cluster.systemNodes.instanceType", "has GPUs, which nothing uses on these nodes"
        yield Problem(key, system_type, message, suggestion="m7g.2xlarge")
    for index, settings in enumerate(node_pools):
        pool = pools.get(settings.name)
        if pool is None:
            continue
        key = f"nodePools[{index}]"
        if settings.node is not None:
            yield _described(pool, f"{key}.node")
            continue
        yield from _name_problems(cluster, settings, key)
        yield from _image_problems(cluster, settings.ami_release, pool.instance_type, f"{key}.amiRelease")
        if settings.zone is None:
            message = "is missing: EFA and file systems end at a zone, so a pool is in one"
            offered = [
                each.name
                for each in pool.instance_type.zones
                if zone_named(each.name).region == cluster.region
            ]
            hint = offered[0] if offered else f"{cluster.region}a"
            yield Problem(f"{key}.zone", None, message, suggestion=hint)
        else:
            yield from _zone_problems(cluster, pool.instance_type, settings.zone, f"{key}.zone")
        if settings.purchase is None:
            sold = ", ".join(_IN_SETTINGS[option] for option in pool.instance_type.purchase_options)
            message = "is missing: nothing is bought that nobody typed"
            yield Problem(f"{key}.purchase", None, message, allowed=f"a mapping with kind: {sold}")
        else:
            yield from _purchase_problems(pool.instance_type, settings.purchase, f"{key}.purchase")
            yield from _block_problems(pool, settings.purchase, f"{key}.nodes")


def planned_nodes(
    cluster: EksClusterSettings, node_pools: Sequence[NodePoolSettings], pools: Mapping[str, Pool]
) -> tuple[PlannedNodes, ...]:
    """Return the node groups of the pools; `pool_problems` refuses a pool without zone or purchase."""
    return tuple(
        PlannedNodes(
            _group_name(cluster, wanted),
            pools[wanted.name],
            zone_named(wanted.zone),
            wanted.purchase,
            wanted.ami_release,
            wanted.root_volume_type or _ROOT_VOLUME_TYPE,
            _node_tags(cluster),
        )
        for wanted in node_pools
        if wanted.zone is not None and wanted.purchase is not None
    )


def system_template(cluster: EksClusterSettings) -> NodeTemplate:
    """Return the template of the nodes for everything without GPUs."""
    return NodeTemplate(
        name=f"{cluster.name}-system",
        instance_type=cluster.system_nodes.instance_type,
        interfaces=(NetworkInterface(card=0, device=0, kind="interface"),),
        root_gib=_SYSTEM_ROOT_GIB,
        root_type=_ROOT_VOLUME_TYPE,
        local_disks=False,
        own_imex=False,
        purchase=OnDemand(kind="onDemand"),
        tags=_node_tags(cluster),
    )


def gpu_template(nodes: PlannedNodes) -> NodeTemplate:
    """Return the template of a pool's nodes, with the network interfaces of their type."""
    return NodeTemplate(
        name=nodes.name,
        instance_type=nodes.pool.instance_type.name,
        interfaces=nodes.pool.instance_type.network.interfaces,
        root_gib=_GPU_ROOT_GIB,
        root_type=nodes.root_volume_type,
        local_disks=True,
        own_imex=nodes.pool.instance_type.nvlink_crosses_nodes,
        purchase=nodes.purchase,
        tags=nodes.tags,
    )


def _described(pool: Pool, key: str) -> Problem:
    gpu = pool.instance_type.accelerator
    sold = [name for name, each in INSTANCE_TYPES.items() if each.accelerator is gpu]
    message = "describes nodes that exist, and the stack makes those of its own cluster"
    suggestion = f"instanceType: {sold[0]}" if sold else "cluster kind existing"
    return Problem(key, gpu.name, message, allowed="instanceType", suggestion=suggestion)


def _group_name(cluster: EksClusterSettings, settings: NodePoolSettings) -> str:
    return f"{cluster.name}-{settings.name}"


def _name_problems(cluster: EksClusterSettings, settings: NodePoolSettings, key: str) -> Iterator[Problem]:
    name = _group_name(cluster, settings)
    if len(name) > _LONGEST_NAME:
        message = f"its node group would be called {name}, {len(name)} characters"
        allowed = f"{_LONGEST_NAME} with the cluster's name and a hyphen before it"
        yield Problem(f"{key}.name", settings.name, message, allowed=allowed)


def _node_tags(cluster: EksClusterSettings) -> Mapping[str, str]:
    return tags_of(cluster) if cluster.tag_nodes else {}


def _image_problems(
    cluster: EksClusterSettings, release: str | None, instance_type: InstanceType | None, key: str
) -> Iterator[Problem]:
    if release is None:
        return
    version, _, day = release.rpartition("-")
    if version.rpartition(".")[0] != cluster.version:
        message = f"is an image of Kubernetes {version}, and cluster.version is {cluster.version}"
        yield Problem(key, release, message, allowed=f"{cluster.version}.<patch>-<day>")
    if instance_type is not None and instance_type.nvlink_crosses_nodes and day < _FIRST_GB200_IMAGE:
        message = f"is older than the first image on which {instance_type.name} has its GPUs"
        yield Problem(key, release, message, allowed=f"of {_FIRST_GB200_IMAGE} or later")


def _zone_problems(
    cluster: EksClusterSettings, instance_type: InstanceType, name: str, key: str
) -> Iterator[Problem]:
    zone = zone_named(name)
    if zone.region != cluster.region:
        message = f"is no zone of cluster.region {cluster.region}"
        hint = f"{cluster.region}a, or cluster.region: {zone.region}"
        yield Problem(key, name, message, suggestion=hint)
        return
    if instance_type.regions and cluster.region not in instance_type.regions:
        read = instance_type.sources["regions"]
        message = f"{instance_type.name} was not offered in {zone.region} when EC2 was asked ({read.date})"
        allowed = f"a zone of {', '.join(instance_type.regions)}"
        suggestion = "another cluster.region; where EC2 offers it by now, add it to hardware/machines.yaml"
        yield Problem(key, name, message, allowed=allowed, suggestion=suggestion)
        return
    offered = [each.name for each in instance_type.zones]
    if offered and name not in offered:
        message = f"{instance_type.name} is not offered there"
        yield Problem(key, name, message, allowed=", ".join(offered), suggestion=offered[0])
    elif zone.is_local and not offered:
        message = f"{instance_type.name} is offered in the regions' own zones, not in Local Zones"
        yield Problem(key, name, message, suggestion=f"{cluster.region}a")


def _block_problems(pool: Pool, purchase: Purchase, key: str) -> Iterator[Problem]:
    most = pool.nvlink_domain_gpus // pool.instance_type.gpus
    if isinstance(purchase, CapacityBlock) and pool.instance_type.nvlink_crosses_nodes and pool.nodes > most:
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-ultraservers.html
        message = f"a Capacity Block of {pool.instance_type.name} is one UltraServer, of {most} nodes here"
        largest = max(pool.instance_type.nvlink_domain_gpus)
        typed = f", or nvlinkDomainGpus: {largest} where the UltraServer has as many"
        hint = f"a pool for each block{typed if pool.nvlink_domain_gpus < largest else ''}"
        yield Problem(key, pool.nodes, message, allowed=f"{most} or fewer", suggestion=hint)


def _purchase_problems(instance_type: InstanceType, purchase: Purchase, key: str) -> Iterator[Problem]:
    if isinstance(purchase, CapacityBlock) and purchase.ends is not None and purchase.ends <= purchase.starts:
        # Both are of one form, which sorts as time does.
        message, hint = f"is not after purchase.starts {purchase.starts}", "both as the purchase printed them"
        yield Problem(f"{key}.ends", purchase.ends, message, suggestion=hint)
    if _OPTIONS[purchase.kind] not in instance_type.purchase_options:
        allowed = ", ".join(_IN_SETTINGS[option] for option in instance_type.purchase_options)
        message = f"{instance_type.name} is not sold this way"
        yield Problem(f"{key}.kind", purchase.kind, message, allowed=allowed)
