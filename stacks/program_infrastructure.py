"""The part of the program below Kubernetes: network, EKS, nodes, storage, operators."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from components.cache_storage import CacheStorage, CacheStorageArgs, Efs, Lustre
from components.cluster_addons import ClusterAddons, ClusterAddonsArgs, NodeAddon
from components.ebs_storage import EbsStorage, EbsStorageArgs
from components.eks_cluster import Addon, EksCluster, EksClusterArgs
from components.iam import ManagedPolicy, role
from components.launch_template import CapacityBlock, Interface, OnDemand, Purchase, Reservation, Spot
from components.network import LocalZoneSubnet, Network, NetworkArgs, ZoneSubnets
from components.node_group import NodeGroup, NodeGroupArgs, Taint
from components.node_network import NodeNetwork, NodeNetworkArgs
from stacks.infrastructure import plan as planned
from stacks.infrastructure.zones import zone_named
from stacks.program_layers import InfrastructureParts
from stacks.program_operators import deploy_monitoring, deploy_operators
from stacks.updates.node_groups import SYSTEM, logical_name
from stacks.versions import EKS_ADDONS

VOLUME_CLASS = "gp3"
_LOG_DAYS = 90
_SYSTEM_ROOT_GIB = 100
# Images of the runtime are some 20 GB each, and two are there during an update.
_GPU_ROOT_GIB = 200
_BEFORE_NODES = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
_GPU_TAINT = Taint("nvidia.com/gpu", "present", "NO_SCHEDULE")
_NODE_POLICIES = (ManagedPolicy.NODE, ManagedPolicy.PULL_IMAGES)


def deploy_infrastructure(
    plan: planned.EksPlan, *, keep: bool, resized: Collection[str] = ()
) -> InfrastructureParts:
    """Register everything in the account, and the operators that make its GPUs usable.

    Args:
        plan: everything that was decided.
        keep: protect the network, the cluster and the file system.
        resized: node groups that exist and whose number of nodes this run sets.

    """
    account = aws.Provider(
        "account",
        region=plan.region,
        # With the credentials of another account nothing happens at all.
        allowed_account_ids=[plan.account_id],
        default_tags={"tags": {"dynamo-stack": plan.name, **plan.tags}},
    )
    in_account = pulumi.ResourceOptions(providers=[account])
    place = _network(plan, in_account, keep=keep)
    cluster = EksCluster("eks", _cluster_arguments(plan, place, keep=keep), in_account)
    provider = kubernetes.Provider(
        "cluster",
        kubeconfig=cluster.kubeconfig,
        # Credentials and endpoint may change without every object being another one.
        cluster_identifier=plan.name,
        opts=pulumi.ResourceOptions(depends_on=cluster.ready),
    )
    groups = NodeNetwork("node-network", NodeNetworkArgs(plan.name, place.vpc_id), in_account)
    node_role, policies = role(
        "node-role",
        f"{plan.name}-node",
        "ec2.amazonaws.com",
        _NODE_POLICIES,
        pulumi.ResourceOptions(provider=account),
    )
    site = _Site(place, cluster, groups, node_role.arn, resized)
    before_nodes = [*cluster.ready, *policies, *groups.rules]
    system = NodeGroup(SYSTEM, _system_arguments(plan, site), depends_on=before_nodes, opts=in_account)
    addons = ClusterAddons(
        "addons",
        ClusterAddonsArgs(plan.name, cluster.cluster.name, node_addons(plan), VOLUME_CLASS),
        cluster=provider,
        depends_on=[system.group],
        opts=in_account,
    )
    # After the drivers: no GPU is paid for while nothing could run on it, and at destroy the nodes take
    # minutes to go, in which the EBS driver deletes the disks of NATS and etcd with their claims.
    after_addons = [*before_nodes, *addons.ready]
    gpu_nodes = [
        NodeGroup(
            logical_name(nodes), _gpu_arguments(nodes, site), depends_on=after_addons, opts=in_account
        ).group
        for nodes in plan.gpu_nodes
    ]
    file_system = None
    storage: list[pulumi.Resource] = []
    if isinstance(plan.storage, planned.PlannedEbs):
        disks = EbsStorage(
            "cache-storage",
            EbsStorageArgs(plan.storage.class_name, plan.storage.throughput),
            cluster=provider,
            depends_on=addons.ready,
            opts=in_account,
        )
        storage.append(disks.storage_class)
    elif isinstance(plan.storage, planned.PlannedFileSystem):
        file_system = CacheStorage(
            "cache-storage",
            _storage_arguments(plan, plan.storage, site, keep=keep),
            in_account,
        ).file_system
    monitoring = deploy_monitoring(plan, provider, [system.group, *addons.ready], VOLUME_CLASS)
    operators = deploy_operators(plan, provider, [system.group, *addons.ready, *monitoring])
    return InfrastructureParts(
        provider=provider,
        before_workloads=(system.group, *addons.ready, *monitoring, *storage),
        before_graph=(*gpu_nodes, *operators),
        file_system=file_system,
        kubeconfig=cluster.kubeconfig,
    )


def node_addons(plan: planned.EksPlan) -> tuple[NodeAddon, ...]:
    """The add-ons that run on nodes, with the driver of the model cache's file system."""
    versions = EKS_ADDONS[plan.version]
    ebs, efs, lustre = "aws-ebs-csi-driver", "aws-efs-csi-driver", "aws-fsx-csi-driver"
    addons = [
        NodeAddon("coredns", versions["coredns"], None, None),
        NodeAddon(ebs, versions[ebs], "ebs-csi-controller-sa", ManagedPolicy.EBS_VOLUMES),
    ]
    # They only mount what the stack has made, and ask AWS for nothing.
    if isinstance(plan.storage, planned.PlannedEfs):
        addons.append(NodeAddon(efs, versions[efs], None, None))
    if isinstance(plan.storage, planned.PlannedLustre):
        addons.append(NodeAddon(lustre, versions[lustre], None, None))
    return tuple(addons)


@dataclass(frozen=True, slots=True)
class _Place:
    """A VPC and its private subnets, made or adopted."""

    vpc_id: pulumi.Input[str]
    control_plane: tuple[str, ...]
    """Zones of the region."""
    regional: Mapping[str, pulumi.Input[str]]
    """Zone of the region -> private subnet."""
    local: Mapping[str, pulumi.Input[str]]
    """Local Zone -> subnet."""

    @property
    def of_control_plane(self) -> list[pulumi.Input[str]]:
        """The subnets whose zones stay as they are; EKS replaces a node group for another one, too."""
        return [self.regional[zone] for zone in self.control_plane]

    def subnet(self, zone: str) -> pulumi.Input[str]:
        """The private subnet of a zone of either kind."""
        return self.local[zone] if zone in self.local else self.regional[zone]


@dataclass(frozen=True, slots=True)
class _Site:
    """What every node group is made of."""

    place: _Place
    cluster: EksCluster
    groups: NodeNetwork
    role_arn: pulumi.Input[str]
    resized: Collection[str]


def _network(plan: planned.EksPlan, opts: pulumi.ResourceOptions, *, keep: bool) -> _Place:
    network = plan.network
    if isinstance(network, planned.AdoptedNetwork):
        zones = {name: zone_named(name) for name in network.subnets}
        return _Place(
            network.vpc_id,
            network.control_plane,
            {name: subnet for name, subnet in network.subnets.items() if not zones[name].is_local},
            {name: subnet for name, subnet in network.subnets.items() if zones[name].is_local},
        )
    groups = {zone.name: zone.group for zone in network.local}
    made = Network(
        "network",
        NetworkArgs(
            name=plan.name,
            account_id=plan.account_id,
            region=plan.region,
            cidr=network.cidr,
            zones=tuple(
                ZoneSubnets(item.zone, item.public, item.private)
                for item in network.subnets
                if item.public is not None
            ),
            local_zones=tuple(
                LocalZoneSubnet(item.zone, groups[item.zone] or "", item.private)
                for item in network.subnets
                if item.zone in groups
            ),
            nat_per_zone=network.nat_per_zone,
            flow_log_days=_LOG_DAYS,
            keep=keep,
        ),
        opts,
    )
    ids = {zone: subnet.id for zone, subnet in made.private_subnets.items()}
    return _Place(
        made.vpc.id,
        network.control_plane,
        {zone: subnet for zone, subnet in ids.items() if zone not in groups},
        {zone: subnet for zone, subnet in ids.items() if zone in groups},
    )


def _cluster_arguments(plan: planned.EksPlan, place: _Place, *, keep: bool) -> EksClusterArgs:
    versions = EKS_ADDONS[plan.version]
    return EksClusterArgs(
        name=plan.name,
        region=plan.region,
        version=plan.version,
        subnet_ids=place.of_control_plane,
        public_cidrs=plan.public_cidrs,
        administrators=plan.administrators,
        log_days=_LOG_DAYS,
        addons=tuple(Addon(name, versions[name]) for name in _BEFORE_NODES),
        cni_service_account="aws-node",
        keep=keep,
    )


def _system_arguments(plan: planned.EksPlan, site: _Site) -> NodeGroupArgs:
    system = plan.system_nodes
    return NodeGroupArgs(
        name=system.name,
        cluster_name=site.cluster.cluster.name,
        role_arn=site.role_arn,
        subnet_ids=site.place.of_control_plane,
        security_group_ids=[site.cluster.security_group_id, site.groups.system_group.id],
        instance_type=system.instance_type,
        ami_type=system.ami_type,
        nodes=system.nodes,
        interfaces=(),
        root_gib=_SYSTEM_ROOT_GIB,
        local_disks=False,
        purchase=OnDemand(),
        together=False,
        labels={"node-role": "system"},
        taints=(),
        sets_size=SYSTEM in site.resized,
    )


def _gpu_arguments(nodes: planned.PlannedNodes, site: _Site) -> NodeGroupArgs:
    layout = nodes.instance_type.network
    return NodeGroupArgs(
        name=nodes.name,
        cluster_name=site.cluster.cluster.name,
        role_arn=site.role_arn,
        subnet_ids=[site.place.subnet(nodes.zone.name)],
        security_group_ids=[site.cluster.security_group_id, site.groups.gpu_group.id],
        instance_type=nodes.instance_type.name,
        ami_type=nodes.ami_type,
        nodes=nodes.nodes,
        interfaces=tuple(Interface(item.card, item.device, item.kind) for item in layout.interfaces),
        root_gib=_GPU_ROOT_GIB,
        local_disks=True,
        purchase=_purchase(nodes.purchase),
        together=nodes.placed_together,
        labels=nodes.labels,
        taints=(_GPU_TAINT,) if nodes.tainted else (),
        sets_size=logical_name(nodes) in site.resized,
    )


def _purchase(purchase: planned.Purchase) -> Purchase:
    match purchase:
        case planned.OnDemand():
            return OnDemand()
        case planned.Spot():
            return Spot()
        case planned.Reservation():
            return Reservation(purchase.id)
        case planned.CapacityBlock():
            return CapacityBlock(purchase.id, purchase.starts, purchase.phase)


def _storage_arguments(
    plan: planned.EksPlan, storage: planned.PlannedFileSystem, site: _Site, *, keep: bool
) -> CacheStorageArgs:
    place = site.place
    kind = (
        Lustre(place.subnet(storage.zone.name), storage.size_gib, storage.throughput)
        if isinstance(storage, planned.PlannedLustre)
        else Efs(dict(place.regional), storage.mounted_in.name if storage.mounted_in else None)
    )
    return CacheStorageArgs(
        name=f"{plan.name}-model-cache",
        vpc_id=place.vpc_id,
        clients=site.cluster.security_group_id,
        kind=kind,
        keep=keep,
    )
