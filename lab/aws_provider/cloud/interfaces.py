"""Network interfaces by where they are: what other services have put into a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.aws_provider.cloud.gaps.eks_documents import CLUSTER, NODE_GROUP
from lab.aws_provider.cloud.gaps.fsx import INTERFACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document


@dataclass(frozen=True)
class Interface:
    """One of them."""

    subnet: str
    groups: tuple[str, ...]
    owner: str


def interfaces(place: Place) -> Iterator[Interface]:
    """Every interface that a service of AWS has made in the region."""
    for document in place.store.all(INTERFACE, place.key("")):
        yield Interface(document["SubnetId"], tuple(document["Groups"]), document["Description"])
    for document in place.store.all(CLUSTER, place.key("")):
        network = document["resourcesVpcConfig"]
        groups = (network["clusterSecurityGroupId"], *network.get("securityGroupIds", []))
        for subnet in network["subnetIds"]:
            yield Interface(subnet, groups, f"Amazon EKS {document['name']}")
    for document in place.store.all(NODE_GROUP, place.key("")):
        if document["scalingConfig"]["desiredSize"] > 0:
            yield from _of_instances(place, document)
    for target in place.efs.mount_targets_by_id.values():
        owner = f"EFS mount target {target.mount_target_id}"
        yield Interface(target.subnet_id, tuple(target.security_groups or ()), owner)
    for gateway in place.ec2.nat_gateways.values():
        if gateway.state != "deleted":
            yield Interface(gateway.subnet_id, (), f"NAT gateway {gateway.id}")


def _of_instances(place: Place, group: Document) -> Iterator[Interface]:
    template = place.launch_template_data(group.get("launchTemplate") or {}) or {}
    groups = list(template.get("SecurityGroupIds") or [])
    for item in template.get("NetworkInterfaces") or []:
        groups += item.get("Groups") or item.get("SecurityGroupId") or []
    for subnet in group["subnets"]:
        yield Interface(subnet, tuple(dict.fromkeys(groups)), f"instances of {group['nodegroupName']}")
