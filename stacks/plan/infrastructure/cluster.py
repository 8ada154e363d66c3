"""The cluster that a stack makes, with its node groups; refuses what AWS would refuse half an hour later."""

from collections.abc import Iterator, Mapping, Sequence

from hardware import InstanceType, is_local_zone
from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import EksPlan, MadeStorage, PlannedNodes, region_of
from stacks.plan.infrastructure.network import network_problems, planned_subnets
from stacks.plan.infrastructure.node_template import ROOT_VOLUME_TYPE
from stacks.plan.infrastructure.prices import SOLD_AS
from stacks.plan.placement.pools import Pool
from stacks.settings.cluster import CapacityBlock, EksClusterSettings, Purchase
from stacks.settings.stack import NodePoolSettings, StackSettings

_OF_MADE_NODES = {
    "zone": "leave it out",
    "purchase": "leave it out",
    "amiRelease": "leave it out",
    "rootVolumeType": "leave it out",
}
"""Setting of a pool whose nodes the stack makes -> what to do where they exist."""
_OF_EXISTING_NODES = {
    "node": "instanceType",
    # EC2 has neither InfiniBand nor RoCE.
    "rdma": "leave it out; serving.kvTransport: efa",
}
"""Setting of a pool whose nodes exist -> what to do where the stack makes them."""
_IN_SETTINGS = {"on demand": "onDemand or reservation", "Spot": "spot", "Capacity Block": "capacityBlock"}
_FIRST_GB200_IMAGE = "20251103"
"""https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html"""


def cluster_problems(settings: StackSettings, pools: Mapping[str, Pool]) -> Iterator[Problem]:
    """Yield why the cluster could not be made, and the settings of pools that only the other kind has."""
    cluster = settings.cluster
    if isinstance(cluster, EksClusterSettings):
        message = "describes nodes that exist, and the stack makes those of its own cluster"
        yield from _misplaced(settings, _OF_EXISTING_NODES, message)
        yield from network_problems(cluster, settings)
        yield from _pool_problems(cluster, settings.node_pools, pools)
    else:
        message = "belongs to a cluster that the stack makes, and this one exists"
        yield from _misplaced(settings, _OF_MADE_NODES, message)


def _misplaced(settings: StackSettings, wrong: Mapping[str, str], message: str) -> Iterator[Problem]:
    for index, pool in enumerate(settings.node_pools):
        typed = pool.model_dump(by_alias=True, exclude_none=True)
        for name, instead in wrong.items():
            if name in typed:
                yield Problem(f"nodePools[{index}].{name}", None, message, suggestion=instead)


def eks_plan(
    settings: StackSettings, pools: Mapping[str, Pool], storage: MadeStorage | None
) -> EksPlan | None:
    """Return the cluster that the file describes, None where it exists; there are no `cluster_problems`.

    Args:
        settings: of the stack.
        pools: the known pools by name.
        storage: of the model cache, where it is made with the cluster.

    """
    cluster = settings.cluster
    if not isinstance(cluster, EksClusterSettings):
        return None
    nodes = tuple(
        PlannedNodes(
            f"{cluster.name}-{wanted.name}",
            pools[wanted.name],
            wanted.zone,
            wanted.purchase,
            wanted.ami_release,
            wanted.root_volume_type or ROOT_VOLUME_TYPE,
        )
        for wanted in settings.node_pools
        # `cluster_problems` refuses a pool without them.
        if wanted.zone is not None and wanted.purchase is not None
    )
    subnets = planned_subnets(cluster, [item.zone for item in nodes])
    return EksPlan(cluster, subnets, nodes, storage)


def _pool_problems(
    cluster: EksClusterSettings, node_pools: Sequence[NodePoolSettings], pools: Mapping[str, Pool]
) -> Iterator[Problem]:
    """Yield why a group of nodes could not be made in the account."""
    yield from _image_problems(cluster, cluster.system_nodes.ami_release, "cluster.systemNodes.amiRelease")
    for index, settings in enumerate(node_pools):
        pool = pools.get(settings.name)
        if pool is not None and settings.node is None:
            key = f"nodePools[{index}]"
            yield from _image_problems(cluster, settings.ami_release, f"{key}.amiRelease")
            yield from _zone_problems(cluster, pool.instance_type, settings.zone, f"{key}.zone")
            yield from _purchase_problems(pool.instance_type, settings.purchase, f"{key}.purchase")
            if pool.instance_type.nvlink_crosses_nodes:
                yield from _tray_problems(pool, settings, key)


def _image_problems(cluster: EksClusterSettings, release: str | None, key: str) -> Iterator[Problem]:
    if release is None:
        return
    version = release.partition("-")[0]
    if version.rpartition(".")[0] != cluster.version:
        message = f"is an image of Kubernetes {version}, and cluster.version is {cluster.version}"
        yield Problem(key, release, message, allowed=f"{cluster.version}.<patch>-<day>")


def _tray_problems(pool: Pool, settings: NodePoolSettings, key: str) -> Iterator[Problem]:
    kind, release = pool.instance_type, settings.ami_release
    if release is not None and release.rpartition("-")[2] < _FIRST_GB200_IMAGE:
        message = f"is older than the first image on which {kind.name} has its GPUs"
        allowed = f"of {_FIRST_GB200_IMAGE} or later"
        yield Problem(f"{key}.amiRelease", release, message, allowed=allowed)
    most = pool.nvlink_domain_gpus // kind.gpus
    if isinstance(settings.purchase, CapacityBlock) and pool.nodes > most:
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-ultraservers.html
        message = f"a Capacity Block of {kind.name} is one UltraServer, of {most} nodes here"
        largest = max(kind.nvlink_domain_gpus)
        typed = f", or its nvlinkDomainGpus: {largest}" if pool.nvlink_domain_gpus < largest else ""
        hint = f"a pool for each block{typed}"
        yield Problem(f"{key}.nodes", pool.nodes, message, allowed=f"{most} or fewer", suggestion=hint)


def _zone_problems(
    cluster: EksClusterSettings, instance_type: InstanceType, name: str | None, key: str
) -> Iterator[Problem]:
    offered = [each.name for each in instance_type.zones]
    if name is None:
        message = "is missing: EFA and file systems end at a zone, so a pool is in one"
        here = (zone for zone in offered if region_of(zone) == cluster.region)
        yield Problem(key, None, message, suggestion=next(here, f"{cluster.region}a"))
        return
    region = region_of(name)
    if region != cluster.region:
        message = f"is no zone of cluster.region {cluster.region}"
        hint = f"{cluster.region}a, or cluster.region: {region}"
        yield Problem(key, name, message, suggestion=hint)
    elif instance_type.regions and cluster.region not in instance_type.regions:
        read = instance_type.sources["regions"]
        message = f"{instance_type.name} was not offered in {region} when EC2 was asked ({read.date})"
        allowed = f"a zone of {', '.join(instance_type.regions)}"
        suggestion = "another cluster.region; where EC2 offers it by now, add it to hardware/machines.yaml"
        yield Problem(key, name, message, allowed=allowed, suggestion=suggestion)
    elif (offered or is_local_zone(name)) and name not in offered:
        message = f"{instance_type.name} is not offered there"
        allowed = ", ".join(offered) or "a zone of the region's own, no Local Zone"
        yield Problem(
            key, name, message, allowed=allowed, suggestion=next(iter(offered), f"{cluster.region}a")
        )


def _purchase_problems(instance_type: InstanceType, purchase: Purchase | None, key: str) -> Iterator[Problem]:
    sold = ", ".join(_IN_SETTINGS[option] for option in instance_type.purchase_options)
    if purchase is None:
        message = "is missing: nothing is bought that nobody typed"
        yield Problem(key, None, message, allowed=f"a mapping with kind: {sold}")
    elif SOLD_AS[purchase.kind] not in instance_type.purchase_options:
        message = f"{instance_type.name} is not sold this way"
        yield Problem(f"{key}.kind", purchase.kind, message, allowed=sold)
