"""File systems, scheduled actions, IAM, and tags.

https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html,
https://docs.aws.amazon.com/efs/latest/ug/API_CreateMountTarget.html,
https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutScheduledUpdateGroupAction.html,
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html,
https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.fsx import FILE_SYSTEM
from lab.aws_provider.cloud.gaps.instances import GROUP
from lab.aws_provider.cloud.refusal import require
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_TIERS = (125, 250, 500, 1000)
_SMALLEST, _STEP = 1200, 2400
_LNET = 988
_MISSING_ZONE_IDS = frozenset({"use1-az3"})
"""FSx for Lustre is not in every zone (https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi-create.html),
and AWS publishes no list: this one stands for them."""
_MOST_ATTACHED = 10
_MOST_TAGS = 50
_TAGGED = (
    *("CreateVpc", "CreateSubnet", "CreateSecurityGroup", "CreateLaunchTemplate", "CreatePlacementGroup"),
    *("CreateRouteTable", "CreateNatGateway", "CreateInternetGateway", "CreateVpcEndpoint"),
)


@refuses("fsx", "CreateFileSystem")
def lustre(place: Place, given: dict[str, Any]) -> None:
    """Deployment type, tier, size and network, one after the other."""
    settings = given.get("LustreConfiguration", {})
    kind, tier = settings.get("DeploymentType", "SCRATCH_1"), settings.get("PerUnitStorageThroughput")
    says = f"The simulated cloud has no file systems but Lustre PERSISTENT_2 on SSD; {kind} was given"
    only = (given["FileSystemType"], kind, given.get("StorageType", "SSD"))
    require(only == ("LUSTRE", "PERSISTENT_2", "SSD"), "BadRequest", says)
    require(
        tier in _TIERS,
        "BadRequest",
        f"PerUnitStorageThroughput of {tier} is not valid for {kind} with SSD storage; valid values are "
        f"{', '.join(map(str, _TIERS))}",
    )
    _check_size(given.get("StorageCapacity", 0))
    _check_network(place, given["SubnetIds"], given.get("SecurityGroupIds", []))


@refuses("fsx", "UpdateFileSystem")
def growth(place: Place, given: dict[str, Any]) -> None:
    """A file system grows and never shrinks."""
    known = place.store.get(FILE_SYSTEM, place.key(given["FileSystemId"])) or {"StorageCapacity": 0}
    wanted = given.get("StorageCapacity", known["StorageCapacity"])
    require(
        wanted >= known["StorageCapacity"],
        "BadRequest",
        f"StorageCapacity can only be increased; it is {known['StorageCapacity']} GiB",
    )
    _check_size(wanted)


def _check_size(size: int) -> None:
    require(
        size == _SMALLEST or (size and size % _STEP == 0),
        "BadRequest",
        f"StorageCapacity of {size} GiB is not valid: it must be {_SMALLEST}, or a multiple of {_STEP} GiB",
    )


def _check_network(place: Place, subnets: list[str], groups: list[str]) -> None:
    code = "InvalidNetworkSettings"
    require(len(subnets) == 1, code, "A Lustre file system has exactly one subnet.")
    subnet = place.subnet(subnets[0])
    require(subnet, code, f"The subnet ID '{subnets[0]}' does not exist.")
    vpc, name = (subnet.vpc_id, subnet.availability_zone) if subnet else ("", "")
    zone = place.zone(name)
    there = zone and not place.is_local_zone(name) and zone.zone_id not in _MISSING_ZONE_IDS
    require(there, code, f"Amazon FSx is not available in the zone {name} of subnet {subnets[0]}.")
    found = {identifier: place.security_group(identifier) for identifier in groups}
    for identifier, group in found.items():
        require(
            group is not None and group.vpc_id == vpc,
            code,
            f"The security group '{identifier}' does not exist in the VPC {vpc}.",
        )
    # Its servers reach each other (https://docs.aws.amazon.com/fsx/latest/LustreGuide/cannot-create-fs.html).
    opened = any(
        rule.source_group.get("GroupId") in groups
        and (rule.from_port is None or rule.from_port <= _LNET <= rule.to_port)
        for group in found.values()
        if group is not None
        for rule in group.ingress_rules
    )
    require(
        opened or not groups,
        code,
        "The file system cannot be created because the default security group in the subnet provided or the "
        f"provided security groups do not permit Lustre LNET network traffic on port {_LNET}",
    )


@refuses("efs", "CreateMountTarget")
def mount_target(place: Place, given: dict[str, Any]) -> None:
    """One mount target a zone, all in one VPC, with security groups of it."""
    subnet = place.subnet(given["SubnetId"])
    require(subnet, "SubnetNotFound", f"The subnet ID '{given['SubnetId']}' does not exist")
    vpc, zone = (subnet.vpc_id, subnet.availability_zone) if subnet else ("", "")
    for identifier in given.get("SecurityGroups", []):
        group = place.security_group(identifier)
        require(
            group is not None and group.vpc_id == vpc,
            "SecurityGroupNotFound",
            f"The security group '{identifier}' does not exist in {vpc}",
        )
    for known in place.moto("efs").mount_targets_by_id.values():
        other = place.subnet(known.subnet_id)
        if other is not None and known.file_system_id == given["FileSystemId"]:
            require(
                other.availability_zone != zone,
                "MountTargetConflict",
                "mount target already exists in this AZ",
            )
            require(
                other.vpc_id == vpc,
                "MountTargetConflict",
                f"requested subnet for new mount target is not in the VPC {other.vpc_id}",
            )


@refuses("autoscaling", "PutScheduledUpdateGroupAction")
def scheduled_action(place: Place, given: dict[str, Any]) -> None:
    """A group that exists, a time to come, and sizes in order."""
    name, start = given["AutoScalingGroupName"], given.get("StartTime")
    known = place.store.get(GROUP, place.key(name))
    require(known, "ValidationError", f"AutoScalingGroup name not found - {name}")
    future = start is not None and start >= place.now()
    require(future, "ValidationError", f"Given start time {start} is in the past")
    sizes = [given[key] for key in ("MinSize", "DesiredCapacity", "MaxSize") if key in given]
    require(
        sizes and sizes == sorted(sizes),
        "ValidationError",
        "MinSize <= DesiredCapacity <= MaxSize must hold, and one of them must be given",
    )


@refuses("iam", "AttachRolePolicy")
def attachment(place: Place, given: dict[str, Any]) -> None:
    """A policy that does not exist; more than ten on one role."""
    arn, name = given["PolicyArn"], given["RoleName"]
    require(
        arn in place.moto("iam").managed_policies,
        "NoSuchEntity",
        f"Policy {arn} does not exist or is not attachable.",
    )
    attached = [set(role.managed_policies) for role in place.moto("iam").roles.values() if role.name == name]
    require(
        all(len(each | {arn}) <= _MOST_ATTACHED for each in attached),
        "LimitExceeded",
        f"Cannot exceed quota for PoliciesPerRole: {_MOST_ATTACHED}",
    )


@refuses("iam", "CreateRole")
def trust(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """A trust policy without principals, or with resources."""
    for statement in _statements(given["AssumeRolePolicyDocument"]):
        require(
            "Principal" in statement and "Resource" not in statement,
            "MalformedPolicyDocument",
            "Has prohibited field Resource, or no Principal",
        )


@refuses("iam", "PutRolePolicy")
def permissions(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """A permissions policy without actions or resources, or with principals."""
    for statement in _statements(given["PolicyDocument"]):
        require(
            "Principal" not in statement,
            "MalformedPolicyDocument",
            "Policy document should not specify a principal.",
        )
        require(
            {"Action", "Resource"} <= statement.keys(),
            "MalformedPolicyDocument",
            "Policy statement must contain actions and resources.",
        )


def _statements(text: str) -> list[dict[str, Any]]:
    found = json.loads(text).get("Statement", [])
    return found if isinstance(found, list) else [found]


@refuses("eks", "CreateCluster", "CreateNodegroup", "CreateAddon", "CreateAccessEntry", "TagResource")
def tags_of_eks(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """50 tags at most, none of AWS's own."""
    _check_tags(list(given.get("tags", {})), "InvalidParameterException", "InvalidParameterException")


@refuses("ec2", *_TAGGED)
def tags_of_ec2(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """50 tags at most, none of AWS's own."""
    for specification in given.get("TagSpecifications", []):
        keys = [tag["Key"] for tag in specification.get("Tags", [])]
        _check_tags(keys, "TagLimitExceeded", "InvalidParameterValue")


def _check_tags(keys: list[str], too_many: str, reserved: str) -> None:
    require(
        len(keys) <= _MOST_TAGS,
        too_many,
        f"The maximum number of tags for a resource is {_MOST_TAGS}; {len(keys)} were given.",
    )
    own = [key for key in keys if key.startswith("aws:")]
    require(
        not own, reserved, f"Tag keys starting with 'aws:' are reserved for internal use; {own} were given."
    )
