"""What a launch template may say: interfaces, user data, and how capacity is bought.

EC2 itself would say some of it at the launch: a template that no launch could use is refused here.
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html,
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html#network-cards,
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-using.html,
https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html (GB200: blocks alone)
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from moto.ec2.models.instance_types import INSTANCE_TYPES

from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP
from lab.aws_provider.cloud.refusal import Refused, require
from lab.aws_provider.cloud.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

CAPACITY_BLOCK = "capacity-block"
_COMBINATION, _VALUE = "InvalidParameterCombination", "InvalidParameterValue"
_EFA = ("efa", "efa-only")


@refuses("ec2", "CreateLaunchTemplate", "CreateLaunchTemplateVersion")
def template(place: Place, given: dict[str, Any]) -> None:
    """Content that no launch could use."""
    data: Document = given["LaunchTemplateData"]
    try:
        base64.b64decode(data.get("UserData", ""), validate=True)
    except ValueError as error:
        raise Refused("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.") from error
    check(place, data, data.get("InstanceType"))


@refuses("ec2", "DeletePlacementGroup")
def placement_group_in_use(place: Place, given: dict[str, Any]) -> None:
    """A group that a node group launches into."""
    name = given["GroupName"]
    for node_group in NODE_GROUP.all(place):
        there = (place.content(node_group).get("Placement") or {}).get("GroupName") == name
        says = f"The placement group '{name}' is in use and may not be deleted."
        running = node_group["scalingConfig"]["desiredSize"] > 0
        require(not (there and running), "InvalidPlacementGroup.InUse", says)


def market(data: Document) -> str:
    """capacity-block, spot, or the default."""
    return (data.get("InstanceMarketOptions") or {}).get("MarketType") or "on-demand"


def check(place: Place, data: Document, instance_type: str | None) -> None:
    """Raises Refused for what no launch could do; a type that is not known yet leaves its questions open."""
    _check_interfaces(data, instance_type)
    _check_capacity(place, data, instance_type)
    if instance_type is not None:
        check_usage_class(instance_type, market(data))


def check_usage_class(instance_type: str, how: str) -> None:
    """Raises Refused for a type that is not sold that way."""
    sold = INSTANCE_TYPES[instance_type]["SupportedUsageClasses"]
    require(
        how in sold,
        "UnsupportedOperation",
        f"The instance type '{instance_type}' does not support the '{how}' purchasing option; it supports "
        f"{', '.join(sold)}.",
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
    found = place.reservation(place.target(data))
    require(
        found is None or zones == {found["AvailabilityZone"]},
        _VALUE,
        f"The capacity reservation {place.target(data)} is in Availability Zone "
        f"{(found or {}).get('AvailabilityZone')}; the launch is in {', '.join(sorted(zones))}.",
    )


def _slot(interface: Document) -> tuple[int, int]:
    return int(interface.get("NetworkCardIndex") or 0), int(interface.get("DeviceIndex") or 0)


def _kind(interface: Document) -> str:
    return interface.get("InterfaceType") or "interface"


def _check_interfaces(data: Document, instance_type: str | None) -> None:
    interfaces: list[Document] = data.get("NetworkInterfaces") or []
    if not interfaces:
        return
    slots = [_slot(item) for item in interfaces]
    require(
        len(set(slots)) == len(slots),
        _VALUE,
        "Each network interface requires a unique device index on its network card; one device index is used "
        "more than once.",
    )
    require(
        (0, 0) in slots,
        _COMBINATION,
        "When specifying network interfaces, you must include a device at index 0 of network card 0.",
    )
    for interface in interfaces:
        require(
            _kind(interface) != "efa-only" or _slot(interface) != (0, 0),
            _COMBINATION,
            "The primary network interface (network card 0, device index 0) cannot be of type efa-only.",
        )
        require(
            "AssociatePublicIpAddress" not in interface or len(interfaces) == 1,
            _COMBINATION,
            "The associatePublicIPAddress parameter cannot be specified when launching with multiple network "
            "interfaces.",
        )
    if instance_type is not None:
        _check_cards(interfaces, instance_type)


def _check_cards(interfaces: list[Document], instance_type: str) -> None:
    network = INSTANCE_TYPES[instance_type]["NetworkInfo"]
    cards = {each["NetworkCardIndex"]: each for each in network["NetworkCards"]}
    for interface in interfaces:
        card, _ = _slot(interface)
        require(
            card in cards,
            "InvalidNetworkCardIndex",
            f"Network card index {card} exceeds those of {instance_type}, which has {len(cards)}.",
        )
        if _kind(interface) in _EFA:
            _check_efa(network, cards[card], instance_type)
    for card, described in cards.items():
        devices = [device for index, device in map(_slot, interfaces) if index == card]
        most = described["MaximumNetworkInterfaces"]
        require(
            len(devices) <= most and max(devices, default=0) <= most,
            "AttachmentLimitExceeded",
            f"Interfaces {devices} are beyond the {most} of network card {card} of {instance_type}.",
        )
    efas = sum(_kind(item) in _EFA for item in interfaces)
    most = network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
    require(
        efas <= most,
        "AttachmentLimitExceeded",
        f"EFA interfaces count {efas} exceeds allowed limit of {most} for {instance_type}.",
    )


def _check_efa(network: Document, card: Document, instance_type: str) -> None:
    require(
        network.get("EfaSupported"),
        _COMBINATION,
        f"The instance type '{instance_type}' does not support Elastic Fabric Adapter (EFA).",
    )
    ena_only = "InterfaceTypes" in card and not set(_EFA) & set(card["InterfaceTypes"])
    # A type with fewer EFAs than cards keeps card 0 for ordinary traffic
    # (https://github.com/aws/aws-parallelcluster cli/src/pcluster/templates/queues_stack.py).
    fewer = network["EfaInfo"]["MaximumEfaInterfaces"] < network["MaximumNetworkCards"]
    index = card["NetworkCardIndex"]
    require(
        not (ena_only or (index == 0 and fewer)),
        _COMBINATION,
        f"Network card {index} of {instance_type} does not support EFA interfaces.",
    )


def _check_capacity(place: Place, data: Document, instance_type: str | None) -> None:
    how, identifier = market(data), place.target(data)
    group = (data.get("Placement") or {}).get("GroupName")
    require(
        how != CAPACITY_BLOCK or identifier,
        _COMBINATION,
        "You must specify a Capacity Block when the market type is 'capacity-block'.",
    )
    if identifier:
        _check_reservation(place, identifier, how, instance_type, group)
    require(
        not group or place.has_placement_group(group),
        "InvalidPlacementGroup.Unknown",
        f"The Placement Group '{group}' is unknown.",
    )
    require(
        not group or how != CAPACITY_BLOCK,
        _COMBINATION,
        "Placement groups are not supported with Capacity Blocks, which place their instances by themselves.",
    )


def _check_reservation(
    place: Place, identifier: str, how: str, instance_type: str | None, group: str | None
) -> None:
    found = place.reservation(identifier)
    if found is None:
        says = f"The capacity reservation '{identifier}' does not exist."
        raise Refused("InvalidCapacityReservationId.NotFound", says)
    is_block = found.get("ReservationType") == CAPACITY_BLOCK
    require(
        is_block is (how == CAPACITY_BLOCK),
        _COMBINATION,
        f"The capacity reservation {identifier} is {'' if is_block else 'not '}a Capacity Block; the market "
        f"type '{how}' cannot be used with it.",
    )
    own = found["InstanceType"]
    require(
        instance_type in {None, own},
        _VALUE,
        f"The capacity reservation {identifier} is for {own}, not {instance_type}.",
    )
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html
    made_in = found.get("PlacementGroupArn", "").rpartition("/")[2] or None
    require(
        is_block or made_in == group,
        _VALUE,
        f"The capacity reservation {identifier} was created in {_group(made_in)}; the launch is in "
        f"{_group(group)}.",
    )


def _group(name: str | None) -> str:
    return f"the placement group '{name}'" if name else "no placement group"
