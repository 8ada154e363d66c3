"""Access entries and pod identities.

https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html,
https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import ACCESS_ENTRY, POD_IDENTITY, cluster
from lab.aws_provider.cloud.refusal import Refused, refused_by_eks
from lab.aws_provider.cloud.rules import trusted_roles
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_PRINCIPAL = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+")
_POLICY = re.compile(r"arn:aws[a-z-]*:eks::aws:cluster-access-policy/\w+")
_TYPES = frozenset({"STANDARD", "EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYBRID_LINUX", "EC2"})


@refuses("eks", "CreateAccessEntry")
def entry(place: Place, given: dict[str, Any]) -> None:
    """A cluster that reads its ConfigMap alone, a principal twice, groups that a type does not take."""
    mode = cluster(place, given["clusterName"])["accessConfig"]["authenticationMode"]
    if mode == "CONFIG_MAP":
        raise Refused(
            "InvalidRequestException",
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform "
            "this operation.",
        )
    principal, kind = given["principalArn"], given.get("type", "STANDARD")
    if not _PRINCIPAL.fullmatch(principal) or ":assumed-role/" in principal:
        raise refused_by_eks(f"The principalArn parameter format is not valid: {principal}")
    if place.store.get(ACCESS_ENTRY, place.key(given["clusterName"], principal)) is not None:
        raise Refused(
            "ResourceInUseException", "The specified access entry resource is already in use on this cluster."
        )
    if kind not in _TYPES:
        raise refused_by_eks(f"The specified type is not valid: {kind}")
    if kind != "STANDARD" and (given.get("kubernetesGroups") or given.get("username")):
        raise refused_by_eks(f"Groups and user name cannot be given for the access entry type {kind}")
    for group in given.get("kubernetesGroups", []):
        if group.startswith(("system:", "eks:", "aws:", "amazon:", "iam:")):
            raise refused_by_eks(
                f"The kubernetes group name {group} is invalid, it cannot start with system:"
            )


@refuses("eks", "AssociateAccessPolicy")
def policy(place: Place, given: dict[str, Any]) -> None:
    """A policy that is none of EKS's, and a scope without namespaces."""
    cluster(place, given["clusterName"])
    if not _POLICY.fullmatch(given["policyArn"]):
        raise refused_by_eks(f"The policyArn parameter format is not valid: {given['policyArn']}")
    scope = given["accessScope"]
    if scope.get("type") == "namespace" and not scope.get("namespaces"):
        raise refused_by_eks("Namespaces must be given for an access scope of type namespace")
    if scope.get("type") == "cluster" and scope.get("namespaces"):
        raise refused_by_eks("Namespaces cannot be given for an access scope of type cluster")


@refuses("eks", "CreatePodIdentityAssociation")
def pod_identity(place: Place, given: dict[str, Any]) -> None:
    """One association a service account, of a role that exists."""
    cluster(place, given["clusterName"])
    for known in place.store.all(POD_IDENTITY, place.key(given["clusterName"], "")):
        if all(known[key] == given[key] for key in ("namespace", "serviceAccount")):
            raise Refused(
                "ResourceInUseException",
                f"Association already exists: {known['associationId']}",
                clusterName=given["clusterName"],
            )
    require_of_pods(place, given["roleArn"])


def require_of_pods(place: Place, arn: str) -> None:
    """Raises Refused for a role that pods may not take, or may not tag their session with."""
    trusted_roles.require(place, arn, trusted_roles.POD, "roleArn", actions=("sts:TagSession",))
