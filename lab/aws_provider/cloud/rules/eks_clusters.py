"""Clusters, who enters them, and their add-ons.

https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html,
https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html,
https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html,
https://docs.aws.amazon.com/eks/latest/userguide/eks-add-ons.html
"""

from __future__ import annotations

import ipaddress
import json
import re
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.eks_clusters import builds
from lab.aws_provider.cloud.gaps.eks_documents import ACCESS_ENTRY, ADDON, CLUSTER, NODE_GROUP, cluster
from lab.aws_provider.cloud.refusal import Refused, require_of_eks
from lab.aws_provider.cloud.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_IN_USE, _REQUEST = "ResourceInUseException", "InvalidRequestException"
_FEWEST_ZONES = 2
_BOOTSTRAP = "bootstrapClusterCreatorAdminPermissions"
_PRIVATE = tuple(ipaddress.IPv4Network(item) for item in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_PRINCIPAL = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+")
_POLICY = re.compile(r"arn:aws[a-z-]*:eks::aws:cluster-access-policy/\w+")


@refuses("eks", "CreateCluster")
def new_cluster(place: Place, given: dict[str, Any]) -> None:
    """A name in use, a version that EKS lacks, a role that it may not take, a way in for its maker."""
    name, access = given["name"], given.get("accessConfig", {})
    require_of_eks(
        CLUSTER.get(place, given) is None,
        f"Cluster already exists with name: {name}",
        _IN_USE,
        clusterName=name,
    )
    known = load("eks.json")["cluster_versions"]
    require_of_eks(given["version"] in known, f"unsupported Kubernetes version {given['version']}")
    require_role(place, given["roleArn"], "eks.amazonaws.com", "roleArn")
    alone = access.get("authenticationMode") == "API" and not access.get(_BOOTSTRAP, True)
    require_of_eks(
        alone, "The simulated cloud has access entries alone, and makes none for a cluster's maker"
    )


@refuses("eks", "CreateCluster")
def control_plane(place: Place, given: dict[str, Any]) -> None:
    """Subnets in two zones or more, none of them local or without a control plane."""
    zones = {place.subnet(each).availability_zone for each in given["resourcesVpcConfig"]["subnetIds"]}
    require_of_eks(
        not any(place.is_local_zone(zone) for zone in zones),
        "Subnets in Local Zones cannot be used for the cluster control plane",
    )
    require_of_eks(len(zones) >= _FEWEST_ZONES, "Subnets specified must be in at least two different AZs")
    without = load("eks.json")["zone_ids_without_control_plane"]
    regional = [each for each in place.zones().values() if not place.is_local_zone(each.name)]
    valid = [each.name for each in regional if each.zone_id not in without]
    for zone in sorted(zones - set(valid)):
        raise Refused(
            "UnsupportedAvailabilityZoneException",
            f"Cannot create cluster '{given['name']}' because {zone}, the targeted availability zone, does "
            "not currently have sufficient capacity to support the cluster. Retry and choose from these "
            f"availability zones: {', '.join(valid)}",
            clusterName=given["name"],
            validZones=valid,
        )


@refuses("eks", "CreateCluster")
def endpoints(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Public ranges that are private."""
    for cidr in given["resourcesVpcConfig"].get("publicAccessCidrs", []):
        block = ipaddress.ip_network(cidr, strict=False)
        private = isinstance(block, ipaddress.IPv4Network) and any(map(block.subnet_of, _PRIVATE))
        require_of_eks(not private, f"The following CIDRs are not allowed in publicAccessCidrs: [{cidr}]")


@refuses("eks", "UpdateClusterVersion")
def one_step_up(place: Place, given: dict[str, Any]) -> None:
    """One minor version at a time, and never back."""
    old, new = cluster(place, given["name"])["version"], given["version"]
    step = int(new.split(".")[1]) - int(old.split(".")[1])
    require_of_eks(step == 1, f"Unsupported Kubernetes minor version update from {old} to {new}")


@refuses("eks", "DeleteCluster")
def may_go(place: Place, given: dict[str, Any]) -> None:
    """A protected cluster, or one with node groups."""
    name = given["name"]
    require_of_eks(
        not cluster(place, name)["deletionProtection"],
        f"Cluster {name} has deletion protection enabled; disable it before deleting.",
        _REQUEST,
    )
    empty = not NODE_GROUP.all(place, name)
    require_of_eks(empty, "Cluster has nodegroups attached", _IN_USE, clusterName=name)


@refuses("eks", "CreateAccessEntry")
def entry(place: Place, given: dict[str, Any]) -> None:
    """A principal that is none, or is there already."""
    principal = given["principalArn"]
    require_of_eks(
        _PRINCIPAL.fullmatch(principal), f"The principalArn parameter format is not valid: {principal}"
    )
    require_of_eks(
        ACCESS_ENTRY.get(place, given) is None,
        "The specified access entry resource is already in use on this cluster.",
        _IN_USE,
    )


@refuses("eks", "AssociateAccessPolicy")
def policy(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """A policy that is none of EKS's, and a scope that does not go with its namespaces."""
    arn, scope = given["policyArn"], given["accessScope"]
    require_of_eks(_POLICY.fullmatch(arn), f"The policyArn parameter format is not valid: {arn}")
    require_of_eks(
        (scope.get("type") == "namespace") is bool(scope.get("namespaces")),
        "Namespaces must be given for an access scope of type namespace, and for no other",
    )


@refuses("eks", "CreateAddon")
def known_addon(place: Place, given: dict[str, Any]) -> None:
    """An add-on that EKS does not have, or that the cluster has already."""
    name = given["addonName"]
    require_of_eks(name in load("eks.json")["addons"], f"Addon {name} specified is not supported")
    missing = ADDON.get(place, given) is None
    require_of_eks(missing, "Addon already exists.", _IN_USE, addonName=name)


@refuses("eks", "CreateAddon")
def addon(place: Place, given: dict[str, Any]) -> None:
    """A build that EKS lacks for the cluster's Kubernetes; roles and configuration that it cannot use."""
    name, wanted = given["addonName"], given.get("addonVersion")
    kubernetes = cluster(place, given["clusterName"])["version"]
    require_of_eks(
        wanted is None or wanted in builds(name, kubernetes),
        f"Addon version specified is not supported, AddonName: {name}, AddonVersion: {wanted}, "
        f"KubernetesVersion: {kubernetes}",
    )
    for item in given.get("podIdentityAssociations", []):
        require_role(place, item["roleArn"], "pods.eks.amazonaws.com", "roleArn", actions=("sts:TagSession",))
    says = "ConfigurationValue provided in request is not supported: "
    try:
        values = json.loads(given.get("configurationValues") or "{}")
    except ValueError as error:
        raise Refused("InvalidParameterException", f"{says}not JSON") from error
    # A text in the schema of vpc-cni, whatever it looks like (`aws eks describe-addon-configuration`).
    found = type(values.get("enableNetworkPolicy", "")).__name__
    schema = (
        f"Json schema validation failed with error: [$.enableNetworkPolicy: {found} found, string expected]"
    )
    require_of_eks(found == "str", says + schema)


def require_role(place: Place, arn: str, service: str, what: str, actions: tuple[str, ...] = ()) -> None:
    """Raises Refused for a role that is not there, or that the service may not take.

    https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html,
    https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
    """
    role = next((item for item in place.moto("iam").roles.values() if item.arn == arn), None)
    if role is None:
        raise Refused("InvalidParameterException", f"The specified {what} does not exist: {arn}")
    wanted = {"sts:AssumeRole", *actions}
    statements = json.loads(role.assume_role_policy_document)["Statement"]
    allowed = [
        set(_listed(statement["Action"]))
        for statement in statements
        if service in _listed(statement["Principal"].get("Service", []))
    ]
    require_of_eks(
        any(wanted <= each for each in allowed),
        f"Following required service principals [{service}] with actions {sorted(wanted)} were not found in "
        f"the trust relationships of {what} {arn}",
    )


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]
