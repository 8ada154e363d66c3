"""Clusters: where their control plane lies, what may follow what, when one may go.

https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html,
https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.eks_documents import CLUSTER, NODE_GROUP, cluster
from lab.aws_provider.cloud.refusal import Refused, refused_by_eks
from lab.aws_provider.cloud.rules import trusted_roles
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_NAME = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}")
_FEWEST_ZONES = 2
_PRIVATE = tuple(ipaddress.ip_network(item) for item in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))


@refuses("eks", "CreateCluster")
def name(place: Place, given: dict[str, Any]) -> None:
    """A name in use, or one that EKS does not take."""
    if not _NAME.fullmatch(given["name"]):
        raise refused_by_eks(f"Invalid cluster name: {given['name']}")
    if place.store.get(CLUSTER, place.key(given["name"])) is not None:
        raise Refused(
            "ResourceInUseException",
            f"Cluster already exists with name: {given['name']}",
            clusterName=given["name"],
        )


@refuses("eks", "CreateCluster")
def version(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """A Kubernetes version that EKS does not have."""
    if given.get("version") not in {None, *load("eks.json")["cluster_versions"]}:
        raise refused_by_eks(f"unsupported Kubernetes version {given['version']}")


@refuses("eks", "CreateCluster")
def role(place: Place, given: dict[str, Any]) -> None:
    """A role that does not exist, or that EKS may not take."""
    trusted_roles.require(place, given["roleArn"], trusted_roles.CLUSTER, "roleArn")


@refuses("eks", "CreateCluster")
def subnets(place: Place, given: dict[str, Any]) -> None:
    """Subnets that exist, of one VPC, in two zones or more, none of them local."""
    identifiers = given["resourcesVpcConfig"].get("subnetIds", [])
    found = {identifier: place.subnet(identifier) for identifier in identifiers}
    missing = [identifier for identifier, subnet in found.items() if subnet is None]
    if missing:
        raise refused_by_eks(f"The subnet ID '{missing[0]}' does not exist")
    if len({subnet.vpc_id for subnet in found.values() if subnet}) > 1:
        raise refused_by_eks("Subnets specified must be in the same VPC")
    zones = {subnet.availability_zone for subnet in found.values() if subnet}
    local = sorted(zone for zone in zones if place.is_local_zone(zone))
    if local:
        raise refused_by_eks(
            f"Subnets in Local Zones cannot be used for the cluster control plane; {local[0]} is one"
        )
    if len(zones) < _FEWEST_ZONES:
        raise refused_by_eks("Subnets specified must be in at least two different AZs")


@refuses("eks", "CreateCluster")
def zones(place: Place, given: dict[str, Any]) -> None:
    """Subnets in zones that take no control plane, told by their ids."""
    without = load("eks.json")["zone_ids_without_control_plane"]
    for identifier in given["resourcesVpcConfig"].get("subnetIds", []):
        subnet = place.subnet(identifier)
        zone = place.zone(subnet.availability_zone) if subnet else None
        if zone is not None and zone.zone_id in without:
            valid = [each.name for each in place.zones() if each.zone_id not in without]
            raise Refused(
                "UnsupportedAvailabilityZoneException",
                f"Cannot create cluster '{given['name']}' because {zone.name}, the targeted availability "
                "zone, does not currently have sufficient capacity to support the cluster. Retry and choose "
                f"from these availability zones: {', '.join(valid)}",
                clusterName=given["name"],
                validZones=valid,
            )


@refuses("eks", "CreateCluster", "UpdateClusterConfig")
def endpoints(place: Place, given: dict[str, Any]) -> None:
    """An endpoint that nobody could reach, and public ranges that are private."""
    network = dict(given.get("resourcesVpcConfig", {}))
    known = place.store.get(CLUSTER, place.key(given["name"]))
    if known is not None:
        network = {**known["resourcesVpcConfig"], **network}
    if not network.get("endpointPublicAccess", True) and not network.get("endpointPrivateAccess", False):
        raise refused_by_eks("Private and public endpoint access cannot be false")
    for cidr in given.get("resourcesVpcConfig", {}).get("publicAccessCidrs", []):
        block = ipaddress.ip_network(cidr, strict=False)
        if any(block.version == private.version and block.subnet_of(private) for private in _PRIVATE):  # pyright: ignore[reportArgumentType] - of one version
            raise refused_by_eks(f"The following CIDRs are not allowed in publicAccessCidrs: [{cidr}]")


@refuses("eks", "CreateCluster")
def encryption(place: Place, given: dict[str, Any]) -> None:
    """Only Secrets are encrypted, by one symmetric key that exists."""
    configurations = given.get("encryptionConfig", [])
    if len(configurations) > 1:
        raise refused_by_eks("Only one encryption configuration is allowed")
    for configuration in configurations:
        if configuration.get("resources") != ["secrets"]:
            raise refused_by_eks("Encryption config supports the resource [secrets] only")
        arn = configuration.get("provider", {}).get("keyArn", "")
        key = place.kms.keys.get(arn.rpartition("/")[2])
        if key is None:
            raise refused_by_eks(f"The keyArn in encryptionConfig provider is invalid: {arn} does not exist")
        if key.key_spec != "SYMMETRIC_DEFAULT":
            raise refused_by_eks("The keyArn in encryptionConfig provider must be a symmetric key")


@refuses("eks", "UpdateClusterVersion")
def one_step_up(place: Place, given: dict[str, Any]) -> None:
    """One minor version at a time, and never back."""
    old, new = cluster(place, given["name"])["version"], given["version"]
    known = load("eks.json")["cluster_versions"]
    if new not in known:
        raise refused_by_eks(f"unsupported Kubernetes version {new}")
    step = int(new.split(".")[1]) - int(old.split(".")[1])
    if step == 0:
        raise refused_by_eks(f"Cluster is already at the desired configuration; version {new}")
    if step != 1:
        raise refused_by_eks(f"Unsupported Kubernetes minor version update from {old} to {new}")


@refuses("eks", "UpdateClusterConfig")
def authentication_mode(place: Place, given: dict[str, Any]) -> None:
    """From CONFIG_MAP towards API, never back."""
    new = given.get("accessConfig", {}).get("authenticationMode")
    order = ["CONFIG_MAP", "API_AND_CONFIG_MAP", "API"]
    old = cluster(place, given["name"])["accessConfig"]["authenticationMode"]
    if new is not None and order.index(new) < order.index(old):
        raise refused_by_eks(f"Unsupported authentication mode update from {old} to {new}")


@refuses("eks", "DeleteCluster")
def may_go(place: Place, given: dict[str, Any]) -> None:
    """A protected cluster, or one with node groups."""
    document = cluster(place, given["name"])
    if document["deletionProtection"]:
        raise Refused(
            "InvalidRequestException",
            f"Cluster {given['name']} has deletion protection enabled; disable it before deleting.",
        )
    if place.store.all(NODE_GROUP, place.key(given["name"], "")):
        raise Refused("ResourceInUseException", "Cluster has nodegroups attached", clusterName=given["name"])
