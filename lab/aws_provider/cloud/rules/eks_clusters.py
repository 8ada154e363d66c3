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
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_IN_USE, _REQUEST = "ResourceInUseException", "InvalidRequestException"
_NAME = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}")
_FEWEST_ZONES = 2
_PRIVATE = tuple(ipaddress.IPv4Network(item) for item in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_PRINCIPAL = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+")
_POLICY = re.compile(r"arn:aws[a-z-]*:eks::aws:cluster-access-policy/\w+")
_TEXTS = ("enableNetworkPolicy",)
"""Keys that the schema of their add-on has as texts, whatever they look like (`aws eks
describe-addon-configuration --addon-name vpc-cni`)."""


@refuses("eks", "CreateCluster")
def new_cluster(place: Place, given: dict[str, Any]) -> None:
    """Name, version, role and key of a cluster."""
    name, version = given["name"], given.get("version")
    require_of_eks(_NAME.fullmatch(name), f"Invalid cluster name: {name}")
    require_of_eks(
        CLUSTER.get(place, given) is None,
        f"Cluster already exists with name: {name}",
        _IN_USE,
        clusterName=name,
    )
    known = {None, *load("eks.json")["cluster_versions"]}
    require_of_eks(version in known, f"unsupported Kubernetes version {version}")
    require_role(place, given["roleArn"], "eks.amazonaws.com", "roleArn")
    for configuration in given.get("encryptionConfig", []):
        require_of_eks(
            configuration.get("resources") == ["secrets"],
            "Encryption config supports the resource [secrets] only",
        )
        arn = configuration["provider"]["keyArn"]
        require_of_eks(
            arn.rpartition("/")[2] in place.moto("kms").keys,
            f"The keyArn in encryptionConfig provider is invalid: {arn} does not exist",
        )


@refuses("eks", "CreateCluster")
def control_plane(place: Place, given: dict[str, Any]) -> None:
    """Subnets that exist, of one VPC, in two zones or more, none of them local or without a control plane."""
    found = {each: place.subnet(each) for each in given["resourcesVpcConfig"].get("subnetIds", [])}
    for identifier, subnet in found.items():
        require_of_eks(subnet, f"The subnet ID '{identifier}' does not exist")
    subnets = [subnet for subnet in found.values() if subnet is not None]
    require_of_eks(
        len({subnet.vpc_id for subnet in subnets}) == 1, "Subnets specified must be in the same VPC"
    )
    zones = {subnet.availability_zone for subnet in subnets}
    require_of_eks(
        not any(place.is_local_zone(zone) for zone in zones),
        "Subnets in Local Zones cannot be used for the cluster control plane",
    )
    require_of_eks(len(zones) >= _FEWEST_ZONES, "Subnets specified must be in at least two different AZs")
    without = load("eks.json")["zone_ids_without_control_plane"]
    valid = [each.name for each in place.zones() if each.zone_id not in without]
    for zone in sorted(zones - set(valid)):
        raise Refused(
            "UnsupportedAvailabilityZoneException",
            f"Cannot create cluster '{given['name']}' because {zone}, the targeted availability zone, does "
            "not currently have sufficient capacity to support the cluster. Retry and choose from these "
            f"availability zones: {', '.join(valid)}",
            clusterName=given["name"],
            validZones=valid,
        )


@refuses("eks", "CreateCluster", "UpdateClusterConfig")
def endpoints(place: Place, given: dict[str, Any]) -> None:
    """An endpoint that nobody could reach, and public ranges that are private."""
    wanted = given.get("resourcesVpcConfig", {})
    known = CLUSTER.get(place, given) or {}
    network = {**known.get("resourcesVpcConfig", {}), **wanted}
    reached = network.get("endpointPublicAccess", True) or network.get("endpointPrivateAccess", False)
    require_of_eks(reached, "Private and public endpoint access cannot be false")
    for cidr in wanted.get("publicAccessCidrs", []):
        block = ipaddress.ip_network(cidr, strict=False)
        private = isinstance(block, ipaddress.IPv4Network) and any(map(block.subnet_of, _PRIVATE))
        require_of_eks(not private, f"The following CIDRs are not allowed in publicAccessCidrs: [{cidr}]")


@refuses("eks", "UpdateClusterVersion")
def one_step_up(place: Place, given: dict[str, Any]) -> None:
    """One minor version at a time, and never back."""
    old, new = cluster(place, given["name"])["version"], given["version"]
    require_of_eks(new in load("eks.json")["cluster_versions"], f"unsupported Kubernetes version {new}")
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
    """A cluster that reads its ConfigMap alone; a principal that is none, or is there already."""
    owner, principal = given["clusterName"], given["principalArn"]
    mode = cluster(place, owner)["accessConfig"]["authenticationMode"]
    require_of_eks(
        mode != "CONFIG_MAP",
        "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this "
        "operation.",
        _REQUEST,
    )
    require_of_eks(
        _PRINCIPAL.fullmatch(principal), f"The principalArn parameter format is not valid: {principal}"
    )
    require_of_eks(
        ACCESS_ENTRY.get(place, given) is None,
        "The specified access entry resource is already in use on this cluster.",
        _IN_USE,
    )


@refuses("eks", "AssociateAccessPolicy")
def policy(place: Place, given: dict[str, Any]) -> None:
    """A policy that is none of EKS's, and a scope that does not go with its namespaces."""
    cluster(place, given["clusterName"])
    arn, scope = given["policyArn"], given["accessScope"]
    require_of_eks(_POLICY.fullmatch(arn), f"The policyArn parameter format is not valid: {arn}")
    require_of_eks(
        (scope.get("type") == "namespace") is bool(scope.get("namespaces")),
        "Namespaces must be given for an access scope of type namespace, and for no other",
    )


@refuses("eks", "CreateAddon")
def known_addon(place: Place, given: dict[str, Any]) -> None:
    """An add-on that EKS does not have, or that the cluster has already."""
    owner, name = given["clusterName"], given["addonName"]
    cluster(place, owner)
    require_of_eks(name in load("eks.json")["addons"], f"Addon {name} specified is not supported")
    missing = ADDON.get(place, given) is None
    require_of_eks(missing, "Addon already exists.", _IN_USE, addonName=name)


@refuses("eks", "CreateAddon", "UpdateAddon")
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
    for key in _TEXTS:
        found = type(values.get(key, "")).__name__
        schema = f"Json schema validation failed with error: [$.{key}: {found} found, string expected]"
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
