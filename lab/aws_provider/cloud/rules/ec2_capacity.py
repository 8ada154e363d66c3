"""How capacity is bought, where, and what may not go together.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-using.html,
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP
from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

CAPACITY_BLOCK = "capacity-block"
_COMBINATION = "InvalidParameterCombination"


@refuses("ec2", "CreateLaunchTemplate", "CreateLaunchTemplateVersion")
def of_a_template(place: Place, given: dict[str, Any]) -> None:
    """What a template says of its market, reservation and placement."""
    data = given["LaunchTemplateData"]
    check(place, data, data.get("InstanceType"))


@refuses("ec2", "RunInstances")
def of_a_launch(place: Place, given: dict[str, Any]) -> None:
    """The same of a launch, and whether the zone has the type."""
    check(place, given, given.get("InstanceType"))
    subnet = place.subnet(given.get("SubnetId", ""))
    if subnet is not None and given.get("InstanceType"):
        check_zones(place, given, given["InstanceType"], {subnet.availability_zone})


def market(data: Document) -> str:
    """capacity-block, spot, or the default."""
    return (data.get("InstanceMarketOptions") or {}).get("MarketType") or "on-demand"


def target(data: Document) -> str | None:
    """The reservation that a launch names."""
    specification = data.get("CapacityReservationSpecification") or {}
    return (specification.get("CapacityReservationTarget") or {}).get("CapacityReservationId")


def check(place: Place, data: Document, instance_type: str | None) -> None:
    """Raises Refused for what no launch could do."""
    how, reservation = market(data), target(data)
    _check_preference(data, reservation)
    if how == CAPACITY_BLOCK and reservation is None:
        raise Refused(
            _COMBINATION, "You must specify a Capacity Block when the market type is 'capacity-block'."
        )
    if reservation is not None:
        _check_reservation(place, reservation, how, instance_type)
    placement = data.get("Placement") or {}
    _check_placement(place, placement, how, data)
    _check_group_of_reservation(place, reservation, how, placement.get("GroupName"))
    if instance_type is not None:
        check_usage_class(place, instance_type, how)


def check_usage_class(place: Place, instance_type: str, how: str) -> None:
    """Raises Refused for a type that is not sold that way."""
    description = place.instance_type(instance_type)
    if description is None or how in description["SupportedUsageClasses"]:
        return
    raise Refused(
        "UnsupportedOperation",
        f"The instance type '{instance_type}' does not support the '{how}' purchasing option; it supports "
        f"{', '.join(description['SupportedUsageClasses'])}.",
    )


def check_zones(place: Place, data: Document, instance_type: str, zones: set[str]) -> None:
    """Raises Refused where a zone lacks the type, or is not the one of the reservation."""
    offered = place.offering_zones(instance_type)
    for zone in sorted(zones - offered):
        raise Refused(
            "Unsupported",
            f"Your requested instance type ({instance_type}) is not supported in your requested "
            f"Availability Zone ({zone}). Please retry your request by choosing "
            f"{', '.join(sorted(offered)) or 'another region'}.",
        )
    found = place.reservation(target(data) or "")
    if found is not None and zones != {found["AvailabilityZone"]}:
        raise Refused(
            "InvalidParameterValue",
            f"The capacity reservation {found['CapacityReservationId']} is in Availability Zone "
            f"{found['AvailabilityZone']}; the launch is in {', '.join(sorted(zones))}.",
        )


@refuses("ec2", "CreatePlacementGroup")
def placement_group(place: Place, given: dict[str, Any]) -> None:
    """A name in use; partitions and levels of other strategies."""
    strategy = given.get("Strategy", "cluster")
    if place.placement_group(given["GroupName"]) is not None:
        raise Refused(
            "InvalidPlacementGroup.Duplicate", f"The Placement Group '{given['GroupName']}' already exists."
        )
    if "PartitionCount" in given and strategy != "partition":
        raise Refused(_COMBINATION, f"Partition count is not supported for strategy '{strategy}'.")
    if "SpreadLevel" in given and strategy != "spread":
        raise Refused(_COMBINATION, f"Spread level is not supported for strategy '{strategy}'.")


@refuses("ec2", "DeletePlacementGroup")
def placement_group_in_use(place: Place, given: dict[str, Any]) -> None:
    """A group that a node group launches into."""
    for node_group in place.store.all(NODE_GROUP, place.key("")):
        data = place.launch_template_data(node_group.get("launchTemplate") or {}) or {}
        running = node_group["scalingConfig"]["desiredSize"] > 0
        if running and (data.get("Placement") or {}).get("GroupName") == given["GroupName"]:
            raise Refused(
                "InvalidPlacementGroup.InUse",
                f"The placement group '{given['GroupName']}' is in use and may not be deleted.",
            )


def _check_preference(data: Document, reservation: str | None) -> None:
    preference = (data.get("CapacityReservationSpecification") or {}).get("CapacityReservationPreference")
    if reservation is not None and preference not in {None, "capacity-reservations-only"}:
        raise Refused(
            _COMBINATION,
            f"The capacity reservation preference '{preference}' cannot be used with a capacity reservation "
            "target.",
        )


def _check_reservation(place: Place, identifier: str, how: str, instance_type: str | None) -> None:
    found = place.reservation(identifier)
    if found is None:
        raise Refused(
            "InvalidCapacityReservationId.NotFound",
            f"The capacity reservation '{identifier}' does not exist.",
        )
    is_block = found.get("ReservationType") == CAPACITY_BLOCK
    if is_block is not (how == CAPACITY_BLOCK):
        raise Refused(
            _COMBINATION,
            f"The capacity reservation {identifier} is {'' if is_block else 'not '}a Capacity Block; the "
            f"market type '{how}' cannot be used with it.",
        )
    if instance_type is not None and found["InstanceType"] != instance_type:
        raise Refused(
            "InvalidParameterValue",
            f"The capacity reservation {identifier} is for {found['InstanceType']}, not {instance_type}.",
        )


def _check_group_of_reservation(
    place: Place, identifier: str | None, how: str, placement_group: str | None
) -> None:
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html."""
    found = place.reservation(identifier or "")
    if found is None or how == CAPACITY_BLOCK:
        return
    made_in = found.get("PlacementGroupArn", "").rpartition("/")[2] or None
    if made_in != placement_group:
        raise Refused(
            "InvalidParameterValue",
            f"The capacity reservation {identifier} was created in "
            f"{_group(made_in)}; the launch is in {_group(placement_group)}.",
        )


def _group(name: str | None) -> str:
    return f"the placement group '{name}'" if name else "no placement group"


def _check_placement(place: Place, placement: Document, how: str, data: Document) -> None:
    group = placement.get("GroupName")
    if group and place.placement_group(group) is None:
        raise Refused("InvalidPlacementGroup.Unknown", f"The Placement Group '{group}' is unknown.")
    if group and how == CAPACITY_BLOCK:
        raise Refused(
            _COMBINATION,
            "Placement groups are not supported with Capacity Blocks, which place their instances close "
            "together by themselves.",
        )
    if how != "spot":
        return
    if placement.get("Tenancy") == "host":
        raise Refused(_COMBINATION, "Spot Instances do not support host tenancy.")
    options = (data.get("InstanceMarketOptions") or {}).get("SpotOptions") or {}
    behaviour = options.get("InstanceInterruptionBehavior", "terminate")
    if group and behaviour != "terminate":
        raise Refused(
            _COMBINATION,
            f"Spot Instances that {behaviour} on interruption cannot be launched in a placement group.",
        )
