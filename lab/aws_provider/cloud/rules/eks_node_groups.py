"""Managed node groups: names, sizes, labels, and what they launch: type, AMI type, capacity, zones.

https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html,
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html,
https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from moto.ec2.models.instance_types import INSTANCE_TYPES

from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP, cluster
from lab.aws_provider.cloud.gaps.instances import PENDING, issue_of, refusal_of_exchange, refusal_of_launch
from lab.aws_provider.cloud.refusal import Refused, require_of_eks
from lab.aws_provider.cloud.registry import refuses
from lab.aws_provider.cloud.rules import ec2_launches
from lab.aws_provider.cloud.rules.eks_clusters import require_role

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

_NAME = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,62}")
_RESERVED_LABELS = ("kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")
_MOST_BEHIND = 3
"""Minor versions, the skew that Kubernetes allows."""
_MARKETS = {"ON_DEMAND": "on-demand", "SPOT": "spot", "CAPACITY_BLOCK": ec2_launches.CAPACITY_BLOCK}


@refuses("eks", "CreateNodegroup")
def new_group(place: Place, given: dict[str, Any]) -> None:
    """63 characters at most, a name in use, a role, and what is launched."""
    owner, name = given["clusterName"], given["nodegroupName"]
    require_of_eks(
        _NAME.fullmatch(name),
        f"The nodegroup name '{name}' is invalid: it must begin with a letter or digit, hold letters, "
        "digits, hyphens and underscores, and have 63 characters at most",
        nodegroupName=name,
    )
    require_of_eks(
        NODE_GROUP.get(place, given) is None,
        f"NodeGroup already exists with name {name} and cluster name {owner}",
        "ResourceInUseException",
    )
    require_role(place, given["nodeRole"], "ec2.amazonaws.com", "nodeRole")
    _check_launch(place, given)


@refuses("eks", "CreateNodegroup", "UpdateNodegroupConfig")
def fields(place: Place, given: dict[str, Any]) -> None:
    """Sizes in order, and labels that a node may have."""
    known = NODE_GROUP.get(place, given) or {}
    sizes = {**known.get("scalingConfig", {}), **given.get("scalingConfig", {})}
    least, most, desired = (sizes.get(key, 1) for key in ("minSize", "maxSize", "desiredSize"))
    require_of_eks(
        least <= desired <= most >= 1,
        f"minSize {least}, desiredSize {desired} and maxSize {most} must rise, and end above 0",
    )
    labels = given.get("labels", {})
    for key in labels.get("addOrUpdateLabels", labels):
        prefix = key.partition("/")[0] + "/" if "/" in key else ""
        reserved = prefix.endswith(_RESERVED_LABELS) and not prefix.startswith("node.kubernetes.io")
        require_of_eks(
            not reserved, f"Label cannot contain reserved prefixes {list(_RESERVED_LABELS)}: {key}"
        )


@refuses("eks", "UpdateNodegroupVersion", "CreateNodegroup")
def version(place: Place, given: dict[str, Any]) -> None:
    """Nodes are never newer than the control plane, nor four versions older."""
    newest = cluster(place, given["clusterName"])["version"]
    wanted = given.get("version", newest)
    behind = int(newest.split(".")[1]) - int(wanted.split(".")[1])
    require_of_eks(
        0 <= behind <= _MOST_BEHIND,
        f"Requested Nodegroup release version {wanted} is invalid: the control plane is at {newest}.",
    )


@refuses("eks", "UpdateNodegroupVersion")
def new_template(place: Place, given: dict[str, Any]) -> None:
    """A version that cannot be used, or another template than the group's."""
    known = NODE_GROUP.get(place, given)
    if known is None or "launchTemplate" not in given:
        return
    require_of_eks(
        known["launchTemplate"]["id"] == given["launchTemplate"]["id"],
        "A node group keeps its launch template; only its version can change.",
    )
    changed = {**known, "launchTemplate": given["launchTemplate"]}
    _check_launch(place, changed)
    _require_room(refusal_of_exchange(place, changed))


@refuses("eks", "UpdateNodegroupConfig")
def more_nodes(place: Place, given: dict[str, Any]) -> None:
    """More nodes than there are, where they will never be launched."""
    known, wanted = NODE_GROUP.get(place, given), given.get("scalingConfig", {}).get("desiredSize", 0)
    if known is not None and wanted > known["scalingConfig"]["desiredSize"]:
        refused = refusal_of_launch(place, known, wanted)
        _require_room(None if refused and refused.code == PENDING else refused)


def _check_launch(place: Place, group: Document) -> None:
    """Raises Refused as EKS would, which asks EC2 before it makes anything.

    All but whether there is room: EKS learns that from its launches, when it has made the group.
    """
    content = place.content(group)
    _check_market(content, group)
    zones = {place.subnet(identifier).availability_zone for identifier in group["subnets"]}
    for name in [content["InstanceType"]] if "InstanceType" in content else group["instanceTypes"]:
        _check_ami_type(name, group.get("amiType", "AL2023_x86_64_STANDARD"))
        try:
            ec2_launches.check(place, content, name)
            ec2_launches.check_usage_class(name, _MARKETS[group.get("capacityType", "ON_DEMAND")])
            ec2_launches.check_zones(place, content, name, zones)
        except Refused as error:
            raise Refused("InvalidRequestException", f"{error.message} (EC2: {error.code})") from error


def _check_market(content: Document, group: Document) -> None:
    market, bought = ec2_launches.market(content), group.get("capacityType", "ON_DEMAND")
    require_of_eks(
        market != "spot",
        "Launch template must not specify spot market options; use the capacity type SPOT instead.",
    )
    require_of_eks(
        (market == ec2_launches.CAPACITY_BLOCK) is (bought == "CAPACITY_BLOCK"),
        "Capacity type CAPACITY_BLOCK and a launch template with market type capacity-block must be used "
        f"together; the capacity type is {bought}, the market type {market}.",
    )


def _check_ami_type(name: str, chosen: str) -> None:
    described = INSTANCE_TYPES[name]
    known = described["ProcessorInfo"]["SupportedArchitectures"]
    require_of_eks(
        ("arm64" if "ARM_64" in chosen else "x86_64") in known,
        f"[{name}] is not a valid instance type for requested amiType {chosen}: its architecture is "
        f"{', '.join(known)}",
    )
    require_of_eks(
        "GpuInfo" not in described or chosen.endswith("_NVIDIA"),
        f"[{name}] has GPUs; amiType {chosen} has no driver for them. Use an NVIDIA amiType.",
    )


def _require_room(refused: Refused | None) -> None:
    """Raises Refused for a launch into a block that is not active, or that is full."""
    if refused is not None:
        raise Refused("InvalidRequestException", f"AsgInstanceLaunchFailures: {issue_of(refused)}")
