"""IAM documents and roles: who may take a role, and what it may do.

Every policy that AWS manages and that is attached somewhere is in `ManagedPolicy`, with its reason; nothing
else is attached.
"""

import json
from collections.abc import Iterable, Sequence
from enum import Enum

import pulumi
import pulumi_aws as aws

from components.options import Resources
from stacks.settings.cluster import NO_PATH, RoleSettings

POD_IDENTITY_SERVICE = "pods.eks.amazonaws.com"


class ManagedPolicy(Enum):
    """The policies of AWS that roles here get, by their ARN below arn:aws:iam::aws:policy/."""

    CLUSTER = "AmazonEKSClusterPolicy"
    """The control plane makes network interfaces and load balancers."""
    NODE = "AmazonEKSWorkerNodePolicy"
    """A kubelet joins its cluster, and the pod identity agent gets credentials for its pods."""
    PULL_IMAGES = "AmazonEC2ContainerRegistryPullOnly"
    """Images of the add-ons come from ECR."""
    SYSTEMS_MANAGER = "AmazonSSMManagedInstanceCore"
    """A person whom IAM permits it opens a shell on a node that does not join; nodes have no SSH."""
    POD_NETWORK = "AmazonEKS_CNI_Policy"
    """The CNI attaches interfaces and addresses; by pod identity, so that no other pod of the node can."""
    EBS_VOLUMES = "service-role/AmazonEBSCSIDriverPolicy"
    """The EBS driver makes volumes for NATS and etcd."""


def role(
    logical_name: str,
    name: str,
    service: str,
    policies: Iterable[ManagedPolicy],
    opts: pulumi.ResourceOptions,
    *,
    rules: RoleSettings,
) -> tuple[aws.iam.Role, Resources]:
    """Make a role that a service may take, with policies of AWS.

    Returns:
        The role, and its policies, on which its users depend: without them it can do nothing.
    """
    made = aws.iam.Role(
        logical_name,
        name=name,
        path=None if rules.path == NO_PATH else rules.path,
        permissions_boundary=rules.permissions_boundary,
        assume_role_policy=json.dumps(trust(service)),
        opts=opts,
    )
    attached: Resources = [
        aws.iam.RolePolicyAttachment(
            f"{logical_name}-{policy.name.lower().replace('_', '-')}",
            role=made.name,
            policy_arn=f"arn:aws:iam::aws:policy/{policy.value}",
            opts=opts,
        )
        for policy in policies
    ]
    return made, attached


def trust(service: str) -> dict[str, object]:
    """Return the policy by which a service takes the role; pods tag their session too, for pod identity."""
    actions = ["sts:AssumeRole"]
    if service == POD_IDENTITY_SERVICE:
        actions.append("sts:TagSession")
    return document([{"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}])


def document(statements: Sequence[dict[str, object]]) -> dict[str, object]:
    """Return the statements as a policy document of IAM."""
    return {"Version": "2012-10-17", "Statement": list(statements)}
