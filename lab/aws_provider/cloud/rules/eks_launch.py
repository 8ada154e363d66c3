"""What a managed node group launches: type, AMI type, launch template, capacity, zones.

https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html,
https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.capacity_left import PENDING, issue_of, refusal_of_launch
from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP, cluster
from lab.aws_provider.cloud.refusal import Refused, refused_by_eks
from lab.aws_provider.cloud.rules import ec2_capacity, ec2_interfaces
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

_DEFAULT_TYPE = "t3.medium"
_MARKETS = {"ON_DEMAND": "on-demand", "SPOT": "spot", "CAPACITY_BLOCK": "capacity-block"}
_NOT_IN_A_TEMPLATE = (
    ("IamInstanceProfile", "IAM instance profile"),
    ("HibernationOptions", "Hibernation"),
)


@refuses("eks", "CreateNodegroup")
def of_a_new_group(place: Place, given: dict[str, Any]) -> None:
    """All but whether there is room: EKS learns that from its launches, when it has made the group."""
    check(place, given)


@refuses("eks", "UpdateNodegroupVersion")
def of_a_new_version(place: Place, given: dict[str, Any]) -> None:
    """The same with another version of the template."""
    known = place.store.get(NODE_GROUP, place.key(given["clusterName"], given["nodegroupName"]))
    if known is not None and "launchTemplate" in given:
        check(place, {**known, "launchTemplate": given["launchTemplate"]})
        data = place.launch_template_data(given["launchTemplate"])
        _check_window(place, data or {}, known)


def check(place: Place, group: Document) -> None:
    """Raises Refused as EKS would, which asks EC2 before it makes anything."""
    data = place.launch_template_data(group["launchTemplate"]) if "launchTemplate" in group else None
    content = data or {}
    _check_template(content, group)
    _check_groups(place, content, group)
    types = _instance_types(content, group)
    _check_market(content, group)
    zones = _zones(place, group)
    market = _MARKETS[group.get("capacityType", "ON_DEMAND")]
    for name in types:
        description = place.instance_type(name)
        if description is None:
            raise refused_by_eks(f"The following supplied instance types do not exist: [{name}]")
        if not content.get("ImageId"):
            _check_ami_type(description, group.get("amiType"))
        try:
            ec2_interfaces.check(place, content, name)
            ec2_capacity.check(place, content, name)
            ec2_capacity.check_usage_class(place, name, market)
            ec2_capacity.check_zones(place, content, name, zones)
        except Refused as error:
            raise Refused("InvalidRequestException", f"{error.message} (EC2: {error.code})") from error


@refuses("eks", "UpdateNodegroupConfig")
def of_more_nodes(place: Place, given: dict[str, Any]) -> None:
    """More nodes than there are, where they will never be launched."""
    known = place.store.get(NODE_GROUP, place.key(given["clusterName"], given["nodegroupName"]))
    sizes = given.get("scalingConfig", {})
    if known is None or sizes.get("desiredSize", 0) <= known["scalingConfig"]["desiredSize"]:
        return
    data = place.launch_template_data(known.get("launchTemplate") or {}) or {}
    refused = refusal_of_launch(place, data, sizes["desiredSize"])
    if refused is not None and refused.code != PENDING:
        raise _at_once(refused)


def _check_template(content: Document, group: Document) -> None:
    if any(item.get("SubnetId") for item in content.get("NetworkInterfaces") or []):
        raise refused_by_eks(
            "Launch template should not specify a subnet in its network interfaces; the node group's subnets "
            "are used."
        )
    for key, what in _NOT_IN_A_TEMPLATE:
        if content.get(key):
            raise refused_by_eks(f"{what} is not supported in the launch template of a managed node group.")
    if content.get("ImageId"):
        for key in ("amiType", "version", "releaseVersion"):
            if key in group and group[key] != "CUSTOM" and "nodegroupArn" not in group:
                raise refused_by_eks(
                    f"You cannot specify {key} when the launch template specifies an image id."
                )
    if ec2_capacity.market(content) == "spot":
        raise refused_by_eks(
            "Launch template must not specify spot market options; use the capacity type SPOT instead."
        )


def _check_groups(place: Place, content: Document, group: Document) -> None:
    vpc = cluster(place, group["clusterName"])["resourcesVpcConfig"]["vpcId"]
    named = list(content.get("SecurityGroupIds") or [])
    for interface in content.get("NetworkInterfaces") or []:
        named += interface.get("Groups") or []
    for identifier in named:
        found = place.security_group(identifier)
        if found is None or found.vpc_id != vpc:
            raise refused_by_eks(
                f"The security group '{identifier}' of the launch template does not exist in {vpc}."
            )


def _instance_types(content: Document, group: Document) -> list[str]:
    in_template, given = content.get("InstanceType"), group.get("instanceTypes") or []
    if in_template and given:
        raise refused_by_eks(
            "Instance types cannot be specified both in the launch template and in the request."
        )
    if len(given) > 1 and group.get("capacityType") == "CAPACITY_BLOCK":
        raise refused_by_eks("A Capacity Block node group has one instance type.")
    return [in_template] if in_template else given or [_DEFAULT_TYPE]


def _check_market(content: Document, group: Document) -> None:
    is_block = ec2_capacity.market(content) == ec2_capacity.CAPACITY_BLOCK
    if is_block is not (group.get("capacityType") == "CAPACITY_BLOCK"):
        raise refused_by_eks(
            "Capacity type CAPACITY_BLOCK and a launch template with market type capacity-block must be used "
            f"together; the capacity type is {group.get('capacityType', 'ON_DEMAND')}, the market type "
            f"{ec2_capacity.market(content)}."
        )


def _check_ami_type(description: Document, ami_type: str | None) -> None:
    chosen = ami_type or "AL2023_x86_64_STANDARD"
    if chosen == "CUSTOM":
        raise refused_by_eks("amiType CUSTOM needs an image id in the launch template.")
    name = description["InstanceType"]
    architecture = "arm64" if "ARM_64" in chosen else "x86_64"
    if architecture not in description["ProcessorInfo"]["SupportedArchitectures"]:
        raise refused_by_eks(
            f"[{name}] is not a valid instance type for requested amiType {chosen}: its architecture is "
            f"{', '.join(description['ProcessorInfo']['SupportedArchitectures'])}"
        )
    if description.get("GpuInfo") and not chosen.endswith(("_GPU", "_NVIDIA", "_NVIDIA_FIPS")):
        raise refused_by_eks(
            f"[{name}] has GPUs; amiType {chosen} has no driver for them. Use an NVIDIA amiType."
        )


def _zones(place: Place, group: Document) -> set[str]:
    found = (place.subnet(identifier) for identifier in group["subnets"])
    return {subnet.availability_zone for subnet in found if subnet is not None}


def _check_window(place: Place, content: Document, group: Document) -> None:
    """A launch into a block that is not active, or that is full, fails."""
    refused = refusal_of_launch(place, content, group.get("scalingConfig", {}).get("desiredSize", 0))
    if refused is not None:
        raise _at_once(refused)


def _at_once(refused: Refused) -> Refused:
    return Refused("InvalidRequestException", f"AsgInstanceLaunchFailures: {issue_of(refused)}")
