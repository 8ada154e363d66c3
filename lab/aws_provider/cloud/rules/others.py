"""FSx for Lustre and scheduled actions; moto looks at the rest of IAM and EFS.

https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html,
https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutScheduledUpdateGroupAction.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import require
from lab.aws_provider.cloud.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_TIERS = (125, 250, 500, 1000)
_SMALLEST, _STEP = 1200, 2400
_LNET = 988
_MISSING_ZONE_IDS = frozenset({"use1-az3"})
"""FSx for Lustre is not in every zone (https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi-create.html),
and AWS publishes no list: this one stands for them."""


@refuses("fsx", "CreateFileSystem")
def lustre(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Deployment type, tier and size, one after the other."""
    settings, size = given["LustreConfiguration"], given["StorageCapacity"]
    kind, tier = settings["DeploymentType"], settings["PerUnitStorageThroughput"]
    says = f"The simulated cloud has no file systems but Lustre PERSISTENT_2 on SSD; {kind} was given"
    require((given["StorageType"], kind) == ("SSD", "PERSISTENT_2"), "BadRequest", says)
    require(
        tier in _TIERS,
        "BadRequest",
        f"PerUnitStorageThroughput of {tier} is not valid for {kind} with SSD storage; valid values are "
        f"{', '.join(map(str, _TIERS))}",
    )
    require(
        size == _SMALLEST or (size and size % _STEP == 0),
        "BadRequest",
        f"StorageCapacity of {size} GiB is not valid: it must be {_SMALLEST}, or a multiple of {_STEP} GiB",
    )


@refuses("fsx", "CreateFileSystem")
def network_of_lustre(place: Place, given: dict[str, Any]) -> None:
    """A zone without FSx, and security groups that keep its servers from each other."""
    code, groups = "InvalidNetworkSettings", given["SecurityGroupIds"]
    zone = place.zones()[place.subnet(given["SubnetIds"][0]).availability_zone]
    there = not place.is_local_zone(zone.name) and zone.zone_id not in _MISSING_ZONE_IDS
    require(
        there, code, f"Amazon FSx is not available in the zone {zone.name} of subnet {given['SubnetIds']}."
    )
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/cannot-create-fs.html
    opened = any(
        rule.source_group.get("GroupId") in groups
        and (rule.from_port is None or rule.from_port <= _LNET <= rule.to_port)
        for identifier in groups
        for rule in place.moto("ec2").get_security_group_from_id(identifier).ingress_rules
    )
    require(
        opened,
        code,
        "The file system cannot be created because the default security group in the subnet provided or the "
        f"provided security groups do not permit Lustre LNET network traffic on port {_LNET}",
    )


@refuses("autoscaling", "PutScheduledUpdateGroupAction")
def scheduled_action(place: Place, given: dict[str, Any]) -> None:
    """A time that is over, and sizes out of order."""
    start, sizes = given["StartTime"], [given[key] for key in ("MinSize", "DesiredCapacity", "MaxSize")]
    require(start >= place.settings.now(), "ValidationError", f"Given start time {start} is in the past")
    require(sizes == sorted(sizes), "ValidationError", "MinSize <= DesiredCapacity <= MaxSize must hold")
