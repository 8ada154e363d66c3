"""The part of the program below Kubernetes: network, EKS, nodes, storage, operators."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from components.cache_storage import CacheStorage
from components.cluster_addons import ClusterAddons
from components.ebs_storage import EbsStorage
from components.eks_cluster import Addon, EksCluster
from components.iam import ManagedPolicy, role
from components.model_volume import FileSystem, file_system_name
from components.network import Network
from components.node_group import NodeGroup
from components.node_network import NodeNetwork
from components.options import Resources
from hardware import GPU_RESOURCE, is_local_zone
from stacks.plan.cache_plan import DISK_CLASS_NAME
from stacks.plan.infrastructure import eks_plan as planned
from stacks.plan.infrastructure.nodes import gpu_template, system_template
from stacks.program.account import principal, refuse_filled_blocks
from stacks.program.deploy_operators import deploy_monitoring, deploy_operators, wait_for_gpu_nodes
from stacks.program.joined_layers import InfrastructureParts
from stacks.settings.cluster import EbsStorage as EbsSettings
from stacks.settings.cluster import EfsStorage, LustreStorage, Reservation
from stacks.updates.deployed_nodes import EMPTIED_TAG, SYSTEM, logical_name
from stacks.updates.running import Running

LOG_DAYS = 90
"""How long flow logs and the control plane's are kept."""


def deploy_network(
    plan: planned.EksPlan, opts: pulumi.ResourceOptions, *, keep: bool
) -> tuple[pulumi.Input[str], Mapping[str, pulumi.Input[str]]]:
    """Register the network, or nothing of one that exists; return its id, and zone -> private subnet."""
    network = plan.network
    if isinstance(network, planned.AdoptedNetwork):
        return network.typed.vpc_id, network.typed.subnets
    made = Network(
        "network",
        plan.cluster,
        network.typed,
        subnets=network.subnets,
        control_plane=network.control_plane,
        flow_log_days=LOG_DAYS,
        keep=keep,
        opts=opts,
    )
    return made.vpc.id, {zone: subnet.id for zone, subnet in made.private_subnets.items()}


VOLUME_CLASS = "gp3"
_GPU_TAINT: aws.eks.NodeGroupTaintArgsDict = {
    "key": GPU_RESOURCE,
    "value": "present",
    "effect": "NO_SCHEDULE",
}
_NODE_POLICIES = (ManagedPolicy.NODE, ManagedPolicy.PULL_IMAGES)
_SHELL_POLICIES = (*_NODE_POLICIES, ManagedPolicy.SYSTEMS_MANAGER)


@dataclass(frozen=True, slots=True)
class _Site:
    """The cluster of a plan, with what its nodes and its file system are made of."""

    plan: planned.EksPlan
    vpc_id: pulumi.Input[str]
    subnets: Mapping[str, pulumi.Input[str]]
    """Zone, of the region or local -> private subnet."""
    cluster: EksCluster
    role_arn: pulumi.Input[str]
    """Of the nodes' role."""
    resized: Collection[str]
    """Node groups that exist and whose number of nodes this run sets."""
    in_account: pulumi.ResourceOptions


def deploy_infrastructure(
    plan: planned.EksPlan,
    *,
    keep: bool,
    resized: Collection[str] = (),
    running: Running | None = None,
) -> InfrastructureParts:
    """Register everything in the account, and the operators that make its GPUs usable.

    Args:
        plan: everything that was decided.
        keep: protect the network, the cluster and the file system.
        resized: node groups that exist and whose number of nodes this run sets.
        running: what the state has; None where there is no account to ask.

    """
    name = plan.cluster.name
    assumed = plan.cluster.assume_role
    account = aws.Provider(
        "account",
        region=plan.cluster.region,
        assume_roles=[aws.ProviderAssumeRoleArgs(role_arn=assumed)] if assumed else None,
        # With the credentials of another account nothing happens at all.
        allowed_account_ids=[plan.cluster.account_id],
        default_tags={"tags": dict(plan.tags)},
    )
    if running is not None:
        refuse_filled_blocks(plan, running.node_groups, account)
    in_account = pulumi.ResourceOptions(providers=[account])
    vpc_id, subnets = deploy_network(plan, in_account, keep=keep)
    # Their zones stay as they are; EKS replaces a node group for another one, too.
    of_control_plane = [subnets[zone] for zone in plan.network.control_plane]
    cluster = EksCluster(
        "eks",
        plan.cluster,
        subnet_ids=of_control_plane,
        creator=principal(running, account),
        log_days=LOG_DAYS,
        addons=_addons(plan, planned.ADDONS_BEFORE_NODES),
        keep=keep,
        opts=in_account,
    )
    provider = kubernetes.Provider(
        "cluster",
        kubeconfig=cluster.kubeconfig,
        # Credentials and endpoint may change without every object being another one.
        cluster_identifier=name,
        opts=pulumi.ResourceOptions(depends_on=[cluster]),
    )
    groups = NodeNetwork("node-network", cluster=name, vpc_id=vpc_id, opts=in_account)
    node_role, policies = role(
        "node-role",
        f"{name}-node",
        "ec2.amazonaws.com",
        _SHELL_POLICIES if plan.cluster.session_manager else _NODE_POLICIES,
        pulumi.ResourceOptions(provider=account),
        rules=plan.cluster.roles,
    )
    site = _Site(plan, vpc_id, subnets, cluster, node_role.arn, resized, in_account)
    before_nodes = [cluster, *policies, groups]
    system = _system_nodes(site, of_control_plane, before_nodes)
    drivers = ClusterAddons(
        "addons",
        plan.cluster,
        addons=_addons(plan, plan.node_addons),
        volume_class_name=VOLUME_CLASS,
        cluster=cluster.cluster,
        provider=provider,
        depends_on=[system.group],
        opts=in_account,
    )
    # After the drivers: no GPU is paid for while nothing could run on it, and at destroy the nodes take
    # minutes to go, in which the EBS driver deletes the disks of NATS and etcd with their claims.
    after_addons = [*before_nodes, drivers]
    gpu_nodes = [_gpu_nodes(site, nodes, groups.gpu_group, after_addons).group for nodes in plan.gpu_nodes]
    storage: list[pulumi.Resource] = []
    if plan.storage and isinstance(plan.storage.typed, EbsSettings):
        disks = EbsStorage(
            "cache-storage",
            plan.storage.typed,
            class_name=DISK_CLASS_NAME,
            cluster=provider,
            depends_on=[drivers],
            opts=in_account,
        )
        storage.append(disks.storage_class)
    file_system = _file_system(site, keep=keep)
    monitoring = deploy_monitoring(plan, provider, [system.group, drivers], VOLUME_CLASS)
    operators = deploy_operators(plan, provider, [system.group, drivers, *monitoring])
    ready = wait_for_gpu_nodes(plan, provider, [*gpu_nodes, *operators])
    return InfrastructureParts(
        provider=provider,
        before_workloads=(system.group, drivers, *monitoring, *storage),
        before_graph=(*gpu_nodes, *operators, *ready),
        file_system=file_system,
        kubeconfig=cluster.kubeconfig,
    )


def _system_nodes(site: _Site, subnet_ids: list[pulumi.Input[str]], depends_on: Resources) -> NodeGroup:
    """Register the nodes for everything without GPUs."""
    plan = site.plan
    return NodeGroup(
        SYSTEM,
        system_template(plan.cluster),
        plan.cluster,
        cluster_name=site.cluster.cluster.name,
        role_arn=site.role_arn,
        subnet_ids=subnet_ids,
        security_group_ids=[site.cluster.security_group_id],
        ami_type=plan.system_ami_type,
        ami_release=plan.cluster.system_nodes.ami_release,
        nodes=plan.cluster.system_nodes.nodes,
        labels={"node-role": "system"},
        tags={},
        sets_size=SYSTEM in site.resized,
        depends_on=depends_on,
        opts=site.in_account,
    )


def _gpu_nodes(
    site: _Site, nodes: planned.PlannedNodes, gpu_group: aws.ec2.SecurityGroup, depends_on: Resources
) -> NodeGroup:
    """Register a pool's nodes, with the network interfaces of their type."""
    return NodeGroup(
        logical_name(nodes),
        gpu_template(nodes),
        site.plan.cluster,
        cluster_name=site.cluster.cluster.name,
        role_arn=site.role_arn,
        subnet_ids=[site.subnets[nodes.zone.name]],
        security_group_ids=[site.cluster.security_group_id, gpu_group.id],
        ami_type=nodes.ami_type,
        ami_release=nodes.ami_release,
        nodes=nodes.pool.nodes,
        labels=nodes.pool.labels,
        tags={EMPTIED_TAG: "true"} if nodes.phase == "empty" else {},
        sets_size=logical_name(nodes) in site.resized,
        scarce=True,
        taints=(_GPU_TAINT,),
        placement_group=_placement_group(nodes),
        makes_placement_group=nodes.placed_together,
        depends_on=depends_on,
        opts=site.in_account,
    )


def _file_system(site: _Site, *, keep: bool) -> FileSystem | None:
    """Register the model's file system, where the stack makes one."""
    made = site.plan.storage
    if made is None or not isinstance(made.typed, LustreStorage | EfsStorage):
        return None
    return CacheStorage(
        "cache-storage",
        made.typed,
        title=file_system_name(site.plan.cluster.name),
        zone=made.zone,
        size_gib=made.size_gib,
        vpc_id=site.vpc_id,
        clients=site.cluster.security_group_id,
        subnet_ids={zone: each for zone, each in site.subnets.items() if not is_local_zone(zone)},
        keep=keep,
        opts=site.in_account,
    ).file_system


def _addons(plan: planned.EksPlan, names: Iterable[str]) -> tuple[Addon, ...]:
    versions = plan.addon_builds
    configurations = {
        "vpc-cni": json.dumps(_pod_network(plan)),
        # The FSx driver would ask the node's metadata for the region, one hop too far for a pod
        # (kubernetes-sigs/aws-fsx-csi-driver docs/install.md).
        planned.EBS_ADDON: json.dumps({"controller": {"extraVolumeTags": dict(plan.tags)}}),
        planned.LUSTRE_ADDON: json.dumps({"controller": {"region": plan.cluster.region}}),
    }
    accounts = {"vpc-cni": "aws-node", planned.EBS_ADDON: "ebs-csi-controller-sa"}
    # A controller that only mounts what the stack has made asks AWS for nothing.
    policies = {"vpc-cni": (ManagedPolicy.POD_NETWORK,), planned.EBS_ADDON: (ManagedPolicy.EBS_VOLUMES,)}
    return tuple(
        Addon(name, versions[name], configurations.get(name), accounts.get(name), policies.get(name, ()))
        for name in names
    )


def _pod_network(plan: planned.EksPlan) -> dict[str, object]:
    # The VPC CNI enforces no NetworkPolicy before it is told to, and says nothing of those it ignores
    # (https://docs.aws.amazon.com/eks/latest/userguide/cni-network-policy-configure.html). The add-on's
    # schema has a text (aws-quickstart/cdk-eks-blueprints#851).
    told: dict[str, object] = {"enableNetworkPolicy": "true"}
    if plan.largest_packet is not None:
        # By itself it gives pods 9,001 bytes (aws/amazon-vpc-cni-k8s README.md, AWS_VPC_ENI_MTU).
        told["env"] = {"AWS_VPC_ENI_MTU": str(plan.largest_packet)}
    return told


def _placement_group(nodes: planned.PlannedNodes) -> str | None:
    # A reservation that was made outside a cluster placement group cannot be used in one, and one that was
    # made inside cannot be used outside (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html).
    return nodes.purchase.placement_group if isinstance(nodes.purchase, Reservation) else None
