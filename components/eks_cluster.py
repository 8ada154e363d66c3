"""An EKS control plane, who may use it, and the add-ons that nodes cannot join without."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal

import pulumi
import pulumi_aws as aws

from components.iam import POD_IDENTITY_SERVICE, ManagedPolicy, role
from components.options import LOG_DAYS, child
from stacks.plan.infrastructure.eks_plan import ADDONS_BEFORE_NODES, EBS_ADDON, LUSTRE_ADDON, EksPlan
from stacks.settings.cluster import AccessPolicy, EksClusterSettings

_POLICIES: Mapping[AccessPolicy | Literal["clusterAdmin"], str] = {
    "clusterAdmin": "AmazonEKSClusterAdminPolicy",
    "view": "AmazonEKSViewPolicy",
    "adminView": "AmazonEKSAdminViewPolicy",
    "edit": "AmazonEKSEditPolicy",
    "admin": "AmazonEKSAdminPolicy",
}
"""What each may do: https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html"""
_LOGS = ["api", "audit", "authenticator", "controllerManager", "scheduler"]
_CREATE = "45m"
_DELETE = "30m"
_ADDON = "20m"
_CNI = "vpc-cni"
CREATOR = "creator"
"""End of the name of the access entry for the principal that made the cluster."""


_SERVICE_ACCOUNTS = {_CNI: "aws-node", EBS_ADDON: "ebs-csi-controller-sa"}
"""Add-on -> account of its pods that act in the AWS account; a controller that only mounts needs none."""


def register_addon(
    logical_name: str,
    plan: EksPlan,
    addon: str,
    cluster: aws.eks.Cluster,
    owner: aws.iam.Role | None,
    *,
    opts: pulumi.ResourceOptions,
) -> aws.eks.Addon:
    """Register an add-on whose service account, where it has one, takes the role."""
    configurations = {
        _CNI: _pod_network(plan),
        EBS_ADDON: {"controller": {"extraVolumeTags": dict(plan.tags)}},
        # The FSx driver would ask the node's metadata for the region, one hop too far for a pod
        # (kubernetes-sigs/aws-fsx-csi-driver docs/install.md).
        LUSTRE_ADDON: {"controller": {"region": plan.cluster.region}},
    }
    configuration, account = configurations.get(addon), _SERVICE_ACCOUNTS.get(addon)
    identity = None
    if owner and account:
        identity = [aws.eks.AddonPodIdentityAssociationArgs(role_arn=owner.arn, service_account=account)]
    return aws.eks.Addon(
        logical_name,
        cluster_name=cluster.name,
        addon_name=addon,
        addon_version=plan.addon_builds[addon],
        configuration_values=json.dumps(configuration) if configuration else None,
        pod_identity_associations=identity,
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="PRESERVE",
        opts=opts,
    )


class EksCluster(pulumi.ComponentResource):
    """A cluster with API access entries, encrypted Secrets and logs.

    Node groups depend on all of it: a node without a CNI never becomes Ready.

    Args:
        plan: of the cluster.
        subnet_ids: private subnets of two zones or more, none of them local.
        creator: ARN of the IAM role or user that makes the cluster, and administers it. None: EKS itself has
            made it an administrator, as it does where a cluster asks for that when it is created, and the
            entry is EKS'.
        keep: protect the cluster: everything on it goes with it.

    """

    cluster: aws.eks.Cluster
    kubeconfig: pulumi.Output[str]
    """Names a command that gets a token; holds none itself."""
    security_group_id: pulumi.Output[str]
    """The group that EKS makes: control plane and nodes trust each other in it."""

    def __init__(
        self,
        name: str,
        plan: EksPlan,
        *,
        subnet_ids: Sequence[pulumi.Input[str]],
        creator: pulumi.Input[str] | None,
        keep: bool,
        opts: pulumi.ResourceOptions,
    ) -> None:
        settings = plan.cluster
        # Policies read the lifecycle: of a stack that makes no graph nothing else says it.
        lifecycle = "production" if keep else "disposable"
        inputs = {"clusterName": settings.name, "version": settings.version, "lifecycle": lifecycle}
        super().__init__("dynamo-stack:components:EksCluster", name, inputs, opts)
        self._name = name
        self._settings = settings
        self.cluster = self._control_plane(subnet_ids, entered_by_eks=creator is None, keep=keep)
        for arn in settings.administrators:
            # EKS refuses a second entry of one principal.
            if arn != creator:
                self._administrator(f"administrator-{_tail(arn)}", arn, was=f"access-{_tail(arn)}")
        if creator is not None:
            self._administrator(CREATOR, creator)
        self._addons(plan)
        self._access()
        self.kubeconfig = pulumi.Output.all(
            name=self.cluster.name,
            endpoint=self.cluster.endpoint,
            authority=self.cluster.certificate_authority.data,
        ).apply(lambda known: kubeconfig(known["name"], known["endpoint"], known["authority"], settings))
        self.security_group_id = self.cluster.vpc_config.apply(
            lambda vpc_config: str(vpc_config.cluster_security_group_id)
        )
        self.register_outputs({"clusterName": self.cluster.name})

    def _control_plane(
        self, subnet_ids: Sequence[pulumi.Input[str]], *, entered_by_eks: bool, keep: bool
    ) -> aws.eks.Cluster:
        name, settings = self._name, self._settings
        owner, policies = role(
            f"{name}-role",
            f"{settings.name}-cluster",
            "eks.amazonaws.com",
            [ManagedPolicy.CLUSTER],
            child(self),
            rules=settings.roles,
        )
        key = aws.kms.Key(
            f"{name}-secrets-key",
            description=f"Secrets of the cluster {settings.name}",
            enable_key_rotation=True,
            opts=child(self, protect=keep),
        )
        # EKS would make the group itself, with no end to how long it keeps logs.
        logs = aws.cloudwatch.LogGroup(
            f"{name}-logs",
            name=f"/aws/eks/{settings.name}/cluster",
            retention_in_days=LOG_DAYS,
            opts=child(self),
        )
        return aws.eks.Cluster(
            name,
            name=settings.name,
            role_arn=owner.arn,
            version=settings.version,
            vpc_config={
                "subnet_ids": list(subnet_ids),
                "endpoint_private_access": True,
                "endpoint_public_access": bool(settings.public_cidrs),
                "public_access_cidrs": list(settings.public_cidrs) or None,
            },
            access_config={
                "authentication_mode": "API",
                # EKS' own entry for the cluster's creator stands in no state: that principal could not be
                # listed as an administrator too (terraform-aws-modules/terraform-aws-eks#2969).
                "bootstrap_cluster_creator_admin_permissions": entered_by_eks,
            },
            encryption_config={"provider": {"key_arn": key.arn}, "resources": ["secrets"]},
            enabled_cluster_log_types=_LOGS,
            # The add-ons below own the CNI, kube-proxy and CoreDNS; two owners would fight over them.
            bootstrap_self_managed_addons=False,
            deletion_protection=keep,
            # Standard support ends in an upgrade by AWS, extended support in a bill.
            upgrade_policy={"support_type": "STANDARD"},
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*policies, logs],
                protect=keep,
                custom_timeouts=pulumi.CustomTimeouts(create=_CREATE, update="60m", delete=_DELETE),
            ),
        )

    def _addons(self, plan: EksPlan) -> None:
        name = self._name
        network, policies = role(
            f"{name}-cni",
            f"{self._settings.name}-cni",
            POD_IDENTITY_SERVICE,
            [ManagedPolicy.POD_NETWORK],
            child(self),
            rules=self._settings.roles,
        )
        for addon in ADDONS_BEFORE_NODES:
            opts = child(self, policies, timeout=_ADDON)
            register_addon(f"{name}-{addon}", plan, addon, self.cluster, network, opts=opts)

    def _administrator(self, suffix: str, arn: pulumi.Input[str], was: str | None = None) -> None:
        self._associate(suffix, self._entry(suffix, arn, was), arn, "clusterAdmin")

    def _access(self) -> None:
        entries = {
            arn: self._entry(f"access-{_tail(arn)}", arn, was=f"administrator-{_tail(arn)}")
            for arn in dict.fromkeys(each.arn for each in self._settings.access)
        }
        for each in self._settings.access:
            suffix = f"access-{_tail(each.arn)}-{each.policy}"
            self._associate(suffix, entries[each.arn], each.arn, each.policy, each.namespaces)

    def _entry(self, suffix: str, arn: pulumi.Input[str], was: str | None) -> aws.eks.AccessEntry:
        # An administrator that becomes a viewer keeps its entry: as another resource it would be made before
        # the old one goes, and EKS refuses a second entry of one principal.
        same = [pulumi.Alias(name=f"{self._name}-{was}")] if was else None
        return aws.eks.AccessEntry(
            f"{self._name}-{suffix}",
            cluster_name=self.cluster.name,
            principal_arn=arn,
            type="STANDARD",
            opts=pulumi.ResourceOptions(parent=self, aliases=same),
        )

    def _associate(
        self,
        suffix: str,
        entry: aws.eks.AccessEntry,
        arn: pulumi.Input[str],
        policy: AccessPolicy | Literal["clusterAdmin"],
        namespaces: tuple[str, ...] = (),
    ) -> None:
        scope = aws.eks.AccessPolicyAssociationAccessScopeArgs(
            type="namespace" if namespaces else "cluster", namespaces=list(namespaces) or None
        )
        aws.eks.AccessPolicyAssociation(
            f"{self._name}-{suffix}",
            cluster_name=self.cluster.name,
            principal_arn=arn,
            policy_arn=f"arn:aws:eks::aws:cluster-access-policy/{_POLICIES[policy]}",
            access_scope=scope,
            # EKS knows it by principal and policy: the end of the old one would be that of the new.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[entry], delete_before_replace=True),
        )


def kubeconfig(name: str, endpoint: str, authority: str, settings: EksClusterSettings) -> str:
    """Return a kubeconfig that holds no token: the AWS CLI gets one, as the role that is assumed."""
    role = ["--role-arn", settings.assume_role] if settings.assume_role else []
    command = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", "--cluster-name", name, "--region", settings.region, *role],
        "interactiveMode": "Never",
    }
    cluster = {"server": endpoint, "certificate-authority-data": authority}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": {"exec": command}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }
    )


def _pod_network(plan: EksPlan) -> dict[str, object]:
    # The VPC CNI enforces no NetworkPolicy before it is told to, and says nothing of those it ignores
    # (https://docs.aws.amazon.com/eks/latest/userguide/cni-network-policy-configure.html). The add-on's
    # schema has a text (aws-quickstart/cdk-eks-blueprints#851).
    told: dict[str, object] = {"enableNetworkPolicy": "true"}
    if plan.largest_packet is not None:
        # By itself it gives pods 9,001 bytes (aws/amazon-vpc-cni-k8s README.md, AWS_VPC_ENI_MTU).
        told["env"] = {"AWS_VPC_ENI_MTU": str(plan.largest_packet)}
    return told


def _tail(arn: str) -> str:
    """Return account and name: by a number in a list, another order would give one principal two entries."""
    return arn.split(":", 4)[4]
