"""The part of the program below Kubernetes: network, EKS, nodes, storage, operators."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from components.cache_storage import CacheStorage, CacheStorageArgs, EfsClass, LustreClass
from components.cluster_addons import ClusterAddons, ClusterAddonsArgs, NodeAddon
from components.eks_cluster import Addon, EksCluster, EksClusterArgs
from components.iam import ManagedPolicy, role
from components.launch_template import CapacityBlock, Interface, OnDemand, Purchase, Reservation, Spot
from components.network import LocalZoneSubnet, Network, NetworkArgs, ZoneSubnets
from components.node_group import NodeGroup, NodeGroupArgs, Taint
from components.node_network import NodeNetwork, NodeNetworkArgs
from stacks.infrastructure import plan as planned
from stacks.program_operators import deploy_operators
from stacks.versions import EKS_ADDONS

VOLUME_CLASS = "gp3"
_LOG_DAYS = 90
_SYSTEM_ROOT_GIB = 100
# Images of the runtime are some 20 GB each, and two are there during an update.
_GPU_ROOT_GIB = 200
_BEFORE_NODES = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
_GPU_TAINT = Taint("nvidia.com/gpu", "present", "NO_SCHEDULE")
_NODE_POLICIES = (ManagedPolicy.NODE, ManagedPolicy.PULL_IMAGES)


@dataclass(frozen=True, slots=True)
class InfrastructureParts:
    """What the rest of the program needs to know of it."""

    provider: kubernetes.Provider
    before_workloads: tuple[pulumi.Resource, ...]
    """Without these a pod is not scheduled, or has no volume."""
    before_graph: tuple[pulumi.Resource, ...]
    """Without these a worker has no GPU, no compute domain or no EFA."""


def deploy_infrastructure(plan: planned.EksPlan, *, keep: bool) -> InfrastructureParts:
    """Register everything in the account, and the operators that make its GPUs usable.

    Args:
        plan: everything that was decided.
        keep: protect the network, the cluster and the file system.

    """
    account = aws.Provider(
        "account",
        region=plan.region,
        # With the credentials of another account nothing happens at all.
        allowed_account_ids=[plan.account_id],
        default_tags={"tags": {"dynamo-stack": plan.name, **plan.tags}},
    )
    in_account = pulumi.ResourceOptions(providers=[account])
    vpc_id, subnets = _network(plan, in_account, keep=keep)
    control_plane = [subnet for zone, subnet in subnets.items() if not planned_zone_is_local(plan, zone)]
    cluster = _cluster(plan, control_plane, in_account, keep=keep)
    provider = kubernetes.Provider(
        "cluster",
        kubeconfig=cluster.kubeconfig,
        # Credentials and endpoint may change without every object being another one.
        cluster_identifier=plan.name,
        opts=pulumi.ResourceOptions(depends_on=cluster.ready),
    )
    groups = NodeNetwork("node-network", NodeNetworkArgs(plan.name, vpc_id), in_account)
    node_role, node_policies = role(
        "node-role",
        f"{plan.name}-node",
        "ec2.amazonaws.com",
        _NODE_POLICIES,
        pulumi.ResourceOptions(provider=account),
    )
    before_nodes = [*cluster.ready, *node_policies, *groups.rules]
    system = _system_nodes(plan, cluster, node_role.arn, control_plane, groups, before_nodes, in_account)
    addons = _addons(plan, cluster, provider, [system.group], in_account)
    gpu_nodes = [
        _gpu_nodes(
            plan, nodes, cluster, node_role.arn, subnets[nodes.zone.name], groups, before_nodes, in_account
        )
        for nodes in plan.gpu_nodes
    ]
    storage = _storage(plan, vpc_id, subnets, cluster, provider, addons.ready, in_account, keep=keep)
    operators = deploy_operators(plan, provider, [system.group, *addons.ready])
    return InfrastructureParts(
        provider=provider,
        before_workloads=(system.group, *addons.ready, *storage),
        before_graph=(*(group.group for group in gpu_nodes), *operators),
    )


def planned_zone_is_local(plan: planned.EksPlan, zone: str) -> bool:
    """Whether the zone is a Local Zone: the control plane has no place in one."""
    if isinstance(plan.network, planned.PlannedNetwork):
        return any(local.name == zone for local in plan.network.local)
    return any(nodes.zone.name == zone and nodes.zone.is_local for nodes in plan.gpu_nodes)


def _network(
    plan: planned.EksPlan, opts: pulumi.ResourceOptions, *, keep: bool
) -> tuple[pulumi.Input[str], dict[str, pulumi.Input[str]]]:
    """The VPC's id, and zone -> private subnet's id."""
    network = plan.network
    if isinstance(network, planned.AdoptedNetwork):
        return network.vpc_id, dict(network.subnets)
    local = {zone.name: zone for zone in network.local}
    made = Network(
        "network",
        NetworkArgs(
            name=plan.name,
            region=plan.region,
            cidr=network.cidr,
            zones=tuple(
                ZoneSubnets(item.zone, item.public, item.private)
                for item in network.subnets
                if item.public is not None
            ),
            local_zones=tuple(
                LocalZoneSubnet(item.zone, local[item.zone].group or "", item.private)
                for item in network.subnets
                if item.zone in local
            ),
            nat_per_zone=network.nat_per_zone,
            flow_log_days=_LOG_DAYS,
            keep=keep,
        ),
        opts,
    )
    return made.vpc.id, {zone: subnet.id for zone, subnet in made.private_subnets.items()}


def _cluster(
    plan: planned.EksPlan,
    subnet_ids: list[pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
    *,
    keep: bool,
) -> EksCluster:
    versions = EKS_ADDONS[plan.version]
    return EksCluster(
        "eks",
        EksClusterArgs(
            name=plan.name,
            region=plan.region,
            version=plan.version,
            subnet_ids=subnet_ids,
            public_cidrs=plan.public_cidrs,
            administrators=plan.administrators,
            log_days=_LOG_DAYS,
            addons=tuple(Addon(name, versions[name]) for name in _BEFORE_NODES),
            cni_service_account="aws-node",
            keep=keep,
        ),
        opts,
    )


def _system_nodes(
    plan: planned.EksPlan,
    cluster: EksCluster,
    role_arn: pulumi.Input[str],
    subnet_ids: list[pulumi.Input[str]],
    groups: NodeNetwork,
    depends_on: list[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> NodeGroup:
    system = plan.system_nodes
    return NodeGroup(
        "system-nodes",
        NodeGroupArgs(
            name=system.name,
            cluster_name=cluster.cluster.name,
            role_arn=role_arn,
            subnet_ids=subnet_ids,
            security_group_ids=[cluster.security_group_id, groups.system_group.id],
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
        ),
        depends_on=depends_on,
        opts=opts,
    )


def _gpu_nodes(
    plan: planned.EksPlan,
    nodes: planned.PlannedNodes,
    cluster: EksCluster,
    role_arn: pulumi.Input[str],
    subnet_id: pulumi.Input[str],
    groups: NodeNetwork,
    depends_on: list[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> NodeGroup:
    layout = nodes.instance_type.network
    return NodeGroup(
        f"{nodes.pool}-nodes",
        NodeGroupArgs(
            name=nodes.name,
            cluster_name=cluster.cluster.name,
            role_arn=role_arn,
            subnet_ids=[subnet_id],
            security_group_ids=[cluster.security_group_id, groups.gpu_group.id],
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
        ),
        depends_on=depends_on,
        opts=opts,
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


def _addons(
    plan: planned.EksPlan,
    cluster: EksCluster,
    provider: kubernetes.Provider,
    depends_on: list[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> ClusterAddons:
    versions = EKS_ADDONS[plan.version]
    addons = [
        NodeAddon("coredns", versions["coredns"], None, None),
        NodeAddon(
            "aws-ebs-csi-driver",
            versions["aws-ebs-csi-driver"],
            "ebs-csi-controller-sa",
            ManagedPolicy.EBS_VOLUMES,
        ),
    ]
    if plan.storage and plan.storage.kind == "efs":
        name = "aws-efs-csi-driver"
        addons.append(
            NodeAddon(name, versions[name], "efs-csi-controller-sa", ManagedPolicy.EFS_ACCESS_POINTS)
        )
    if plan.storage and plan.storage.kind == "fsxLustre":
        name = "aws-fsx-csi-driver"
        addons.append(
            NodeAddon(name, versions[name], "fsx-csi-controller-sa", ManagedPolicy.LUSTRE_FILE_SYSTEMS)
        )
    return ClusterAddons(
        "addons",
        ClusterAddonsArgs(plan.name, cluster.cluster.name, tuple(addons), VOLUME_CLASS),
        cluster=provider,
        depends_on=depends_on,
        opts=opts,
    )


def _storage(
    plan: planned.EksPlan,
    vpc_id: pulumi.Input[str],
    subnets: dict[str, pulumi.Input[str]],
    cluster: EksCluster,
    provider: kubernetes.Provider,
    depends_on: list[pulumi.Resource],
    opts: pulumi.ResourceOptions,
    *,
    keep: bool,
) -> list[pulumi.Resource]:
    storage = plan.storage
    if storage is None:
        return []
    regional = {zone: subnet for zone, subnet in subnets.items() if not planned_zone_is_local(plan, zone)}
    made = CacheStorage(
        "cache-storage",
        CacheStorageArgs(
            name=f"{plan.name}-model-cache",
            class_name=storage.class_name,
            vpc_id=vpc_id,
            clients=cluster.security_group_id,
            kind=EfsClass(regional)
            if storage.kind == "efs"
            else LustreClass(subnets[storage.zone.name], storage.throughput or 0),
            keep=keep,
        ),
        cluster=provider,
        depends_on=depends_on,
        opts=opts,
    )
    return [made.storage_class]
