"""The part of the program below Kubernetes: network, EKS, nodes, storage, operators."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from components.cache_storage import CacheStorage, CacheStorageArgs
from components.cluster_addons import ClusterAddons, ClusterAddonsArgs
from components.ebs_storage import EbsStorage
from components.eks_cluster import Addon, EksCluster, EksClusterArgs
from components.iam import ManagedPolicy, role
from components.node_group import ExistingPlacement, NewPlacement, NodeGroup, NodeGroupArgs, Taint
from components.node_network import NodeNetwork, NodeNetworkArgs
from components.storage_kinds import EbsDisk, Efs, InstanceStore, Lustre, file_system_name
from stacks.plan.infrastructure import eks_plan as planned
from stacks.plan.infrastructure.nodes import gpu_template, system_template
from stacks.program.cluster_creator import principal
from stacks.program.deploy_network import LOG_DAYS, Place, deploy_network
from stacks.program.deploy_operators import deploy_monitoring, deploy_operators, wait_for_gpu_nodes
from stacks.program.joined_layers import InfrastructureParts
from stacks.program.live_nodes import refuse_filled_blocks
from stacks.settings.purchase import Reservation
from stacks.updates.deployed import UNKNOWN_CREATOR, Creator
from stacks.updates.deployed_nodes import EMPTIED_TAG, SYSTEM, DeployedNodes, logical_name

VOLUME_CLASS = "gp3"
_GPU_TAINT = Taint("nvidia.com/gpu", "present", "NO_SCHEDULE")
_NODE_POLICIES = (ManagedPolicy.NODE, ManagedPolicy.PULL_IMAGES)
_NONE: Mapping[str, DeployedNodes] = MappingProxyType({})
_SHELL_POLICIES = (*_NODE_POLICIES, ManagedPolicy.SYSTEMS_MANAGER)


@dataclass(frozen=True, slots=True)
class _Site:
    """What every node group is made of."""

    place: Place
    cluster: EksCluster
    groups: NodeNetwork
    role_arn: pulumi.Input[str]
    resized: Collection[str]


def deploy_infrastructure(
    plan: planned.EksPlan,
    *,
    keep: bool,
    resized: Collection[str] = (),
    creator: Creator = UNKNOWN_CREATOR,
    unseen: Mapping[str, DeployedNodes] = _NONE,
) -> InfrastructureParts:
    """Register everything in the account, and the operators that make its GPUs usable.

    Args:
        plan: everything that was decided.
        keep: protect the network, the cluster and the file system.
        resized: node groups that exist and whose number of nodes this run sets.
        creator: who made the cluster, or makes it.
        unseen: node groups that EKS is asked about before anything is registered.

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
    refuse_filled_blocks(plan, unseen, account)
    in_account = pulumi.ResourceOptions(providers=[account])
    place = deploy_network(plan, in_account, keep=keep)
    made_by = principal(creator, account)
    cluster = EksCluster("eks", _cluster_arguments(plan, place, made_by, keep=keep), in_account)
    provider = kubernetes.Provider(
        "cluster",
        kubeconfig=cluster.kubeconfig,
        # Credentials and endpoint may change without every object being another one.
        cluster_identifier=name,
        opts=pulumi.ResourceOptions(depends_on=cluster.ready),
    )
    groups = NodeNetwork("node-network", NodeNetworkArgs(name, place.vpc_id), in_account)
    node_role, policies = role(
        "node-role",
        f"{name}-node",
        "ec2.amazonaws.com",
        _SHELL_POLICIES if plan.cluster.session_manager else _NODE_POLICIES,
        pulumi.ResourceOptions(provider=account),
        rules=plan.cluster.roles,
    )
    site = _Site(place, cluster, groups, node_role.arn, resized)
    before_nodes = [*cluster.ready, *policies, *groups.rules]
    system = NodeGroup(SYSTEM, _system_arguments(plan, site), depends_on=before_nodes, opts=in_account)
    drivers = ClusterAddons(
        "addons",
        ClusterAddonsArgs(
            name, cluster.cluster.name, _addons(plan, plan.node_addons), plan.cluster.roles, VOLUME_CLASS
        ),
        cluster=provider,
        depends_on=[system.group],
        opts=in_account,
    )
    # After the drivers: no GPU is paid for while nothing could run on it, and at destroy the nodes take
    # minutes to go, in which the EBS driver deletes the disks of NATS and etcd with their claims.
    after_addons = [*before_nodes, *drivers.ready]
    gpu_nodes = [
        NodeGroup(
            logical_name(nodes),
            _gpu_arguments(nodes, plan, site),
            depends_on=after_addons,
            opts=in_account,
        ).group
        for nodes in plan.gpu_nodes
    ]
    file_system = None
    storage: list[pulumi.Resource] = []
    match plan.storage:
        case EbsDisk():
            disks = EbsStorage(
                "cache-storage", plan.storage, cluster=provider, depends_on=drivers.ready, opts=in_account
            )
            storage.append(disks.storage_class)
        case Lustre() | Efs():
            arguments = CacheStorageArgs(
                name=file_system_name(name),
                vpc_id=place.vpc_id,
                clients=cluster.security_group_id,
                subnet_ids=place.regional,
                storage=plan.storage,
                keep=keep,
            )
            file_system = CacheStorage("cache-storage", arguments, in_account).file_system
        case InstanceStore() | None:
            pass
    monitoring = deploy_monitoring(plan, provider, [system.group, *drivers.ready], VOLUME_CLASS)
    operators = deploy_operators(plan, provider, [system.group, *drivers.ready, *monitoring])
    ready = wait_for_gpu_nodes(plan, provider, [*gpu_nodes, *operators])
    return InfrastructureParts(
        provider=provider,
        before_workloads=(system.group, *drivers.ready, *monitoring, *storage),
        before_graph=(*gpu_nodes, *operators, *ready),
        file_system=file_system,
        kubeconfig=cluster.kubeconfig,
    )


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


def _cluster_arguments(
    plan: planned.EksPlan, place: Place, creator: pulumi.Input[str] | None, *, keep: bool
) -> EksClusterArgs:
    for index, each in enumerate(plan.cluster.access):
        if each.arn == creator:
            raise pulumi.RunError(
                f"cluster.access[{index}].arn = {each.arn!r}: made the cluster and administers it\n"
                "  try: leave it out"
            )
    return EksClusterArgs(
        name=plan.cluster.name,
        region=plan.cluster.region,
        assumed_role=plan.cluster.assume_role,
        version=plan.cluster.version,
        subnet_ids=place.of_control_plane,
        public_cidrs=plan.cluster.public_cidrs,
        creator=creator,
        administrators=tuple(arn for arn in plan.cluster.administrators if arn != creator),
        access=plan.cluster.access,
        roles=plan.cluster.roles,
        log_days=LOG_DAYS,
        addons=_addons(plan, planned.ADDONS_BEFORE_NODES),
        keep=keep,
    )


def _system_arguments(plan: planned.EksPlan, site: _Site) -> NodeGroupArgs:
    """Return those of the nodes for everything without GPUs."""
    return NodeGroupArgs(
        cluster_name=site.cluster.cluster.name,
        role_arn=site.role_arn,
        subnet_ids=site.place.of_control_plane,
        security_group_ids=[site.cluster.security_group_id],
        template=system_template(plan.cluster),
        ami_type=plan.system_ami_type,
        version=plan.cluster.version,
        ami_release=plan.cluster.system_nodes.ami_release,
        nodes=plan.cluster.system_nodes.nodes,
        repaired=plan.cluster.node_repair,
        scarce=False,
        placement=None,
        labels={"node-role": "system"},
        taints=(),
        tags={},
        sets_size=SYSTEM in site.resized,
    )


def _gpu_arguments(nodes: planned.PlannedNodes, plan: planned.EksPlan, site: _Site) -> NodeGroupArgs:
    """Return those of a pool's nodes, with the network interfaces of their type."""
    return NodeGroupArgs(
        cluster_name=site.cluster.cluster.name,
        role_arn=site.role_arn,
        subnet_ids=[site.place.subnets[nodes.zone.name]],
        security_group_ids=[site.cluster.security_group_id, site.groups.gpu_group.id],
        template=gpu_template(nodes),
        ami_type=nodes.ami_type,
        version=plan.cluster.version,
        ami_release=nodes.ami_release,
        nodes=nodes.pool.nodes,
        repaired=plan.cluster.node_repair,
        scarce=True,
        placement=_placement(nodes),
        labels=nodes.pool.labels,
        taints=(_GPU_TAINT,),
        tags={EMPTIED_TAG: "true"} if nodes.phase == "empty" else {},
        sets_size=logical_name(nodes) in site.resized,
    )


def _placement(nodes: planned.PlannedNodes) -> NewPlacement | ExistingPlacement | None:
    if nodes.placed_together:
        return NewPlacement()
    # A reservation that was made outside a cluster placement group cannot be used in one, and one that was
    # made inside cannot be used outside (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html).
    if isinstance(nodes.purchase, Reservation) and nodes.purchase.placement_group:
        return ExistingPlacement(nodes.purchase.placement_group)
    return None
