"""The part of the program below Kubernetes: network, EKS, nodes, storage, operators."""

from collections.abc import Collection
from functools import partial

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from components.cache_storage import CacheStorage
from components.cluster_addons import ClusterAddons
from components.ebs_storage import EbsStorage
from components.eks_cluster import EksCluster
from components.iam import ManagedPolicy, role
from components.model_cache import file_system_name
from components.network import Network
from components.node_group import NodeGroup
from components.node_network import NodeNetwork
from hardware import GPU_RESOURCE, is_local_zone
from stacks.plan.cache_plan import DISK_CLASS_NAME
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.infrastructure.node_template import (
    SYSTEM_PURCHASE,
    gpu_template,
    system_group_name,
    system_template,
)
from stacks.program.account import principal, refuse_filled_blocks
from stacks.program.deploy_operators import deploy_monitoring, deploy_operators, wait_for_gpu_nodes
from stacks.program.joined_layers import InfrastructureParts
from stacks.settings.cluster import AdoptedNetworkSettings, EfsStorage, LustreStorage
from stacks.settings.cluster import EbsStorage as EbsSettings
from stacks.updates.deployed_nodes import EMPTIED_TAG, SYSTEM, logical_name
from stacks.updates.running import Running

_GPU_TAINT: aws.eks.NodeGroupTaintArgsDict = {
    "key": GPU_RESOURCE,
    "value": "present",
    "effect": "NO_SCHEDULE",
}
_NODE_POLICIES = (ManagedPolicy.NODE, ManagedPolicy.PULL_IMAGES)
_SHELL_POLICIES = (*_NODE_POLICIES, ManagedPolicy.SYSTEMS_MANAGER)


def deploy_infrastructure(
    plan: EksPlan,
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
    network = plan.cluster.network
    if isinstance(network, AdoptedNetworkSettings):
        vpc_id, subnets = network.vpc_id, network.subnets
    else:
        own = Network("network", plan, network, keep=keep, opts=in_account)
        vpc_id, subnets = own.vpc.id, {zone: subnet.id for zone, subnet in own.private_subnets.items()}
    # Their zones stay as they are; EKS replaces a node group for another one, too.
    of_control_plane = [subnets[zone] for zone in plan.control_plane]
    cluster = EksCluster(
        "eks",
        plan,
        subnet_ids=of_control_plane,
        creator=principal(running, account),
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
    node_group = partial(
        NodeGroup,
        cluster=plan.cluster,
        cluster_name=cluster.cluster.name,
        role_arn=node_role.arn,
        opts=in_account,
    )
    before_nodes = [cluster, *policies, groups]
    # The nodes for everything without GPUs.
    system = node_group(
        SYSTEM,
        title=system_group_name(plan.cluster),
        template=system_template(plan.cluster),
        purchase=SYSTEM_PURCHASE,
        subnet_ids=of_control_plane,
        security_group_ids=[cluster.security_group_id],
        ami_type=plan.system_ami_type,
        ami_release=plan.cluster.system_nodes.ami_release,
        nodes=plan.cluster.system_nodes.nodes,
        labels={"node-role": "system"},
        tags={},
        sets_size=SYSTEM in resized,
        depends_on=before_nodes,
    )
    drivers = ClusterAddons(
        "addons",
        plan,
        cluster=cluster.cluster,
        provider=provider,
        depends_on=[system.group],
        opts=in_account,
    )
    # After the drivers: no GPU is paid for while nothing could run on it, and at destroy the nodes take
    # minutes to go, in which the EBS driver deletes the disks of NATS and etcd with their claims.
    gpu_nodes: list[pulumi.Resource] = [
        node_group(
            logical_name(nodes),
            title=nodes.name,
            template=gpu_template(plan.cluster, nodes),
            purchase=nodes.purchase,
            subnet_ids=[subnets[nodes.zone]],
            security_group_ids=[cluster.security_group_id, groups.gpu_group.id],
            ami_type=nodes.ami_type,
            ami_release=nodes.ami_release,
            nodes=nodes.pool.nodes,
            labels=nodes.pool.labels,
            tags={EMPTIED_TAG: "true"} if nodes.phase == "empty" else {},
            sets_size=logical_name(nodes) in resized,
            scarce=True,
            taints=(_GPU_TAINT,),
            makes_placement_group=nodes.placed_together,
            depends_on=[*before_nodes, drivers],
        ).group
        for nodes in plan.gpu_nodes
    ]
    storage: list[pulumi.Resource] = []
    file_system = None
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
    elif plan.storage and isinstance(plan.storage.typed, LustreStorage | EfsStorage):
        file_system = CacheStorage(
            "cache-storage",
            plan.storage.typed,
            title=file_system_name(name),
            zone=plan.storage.zone,
            size_gib=plan.storage.size_gib,
            vpc_id=vpc_id,
            clients=cluster.security_group_id,
            subnet_ids={zone: each for zone, each in subnets.items() if not is_local_zone(zone)},
            keep=keep,
            opts=in_account,
        ).file_system
    monitoring = deploy_monitoring(plan, provider, [system.group, drivers])
    operators = deploy_operators(plan, provider, [system.group, drivers, *monitoring])
    ready = wait_for_gpu_nodes(plan, provider, [*gpu_nodes, *operators])
    return InfrastructureParts(
        provider=provider,
        before_workloads=(system.group, drivers, *monitoring, *storage),
        before_graph=(*gpu_nodes, *operators, *ready),
        file_system=file_system,
        kubeconfig=cluster.kubeconfig,
    )
