"""Network interfaces of a launch, against the network cards of its instance type.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html and
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html#network-cards
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

_EFA = ("efa", "efa-only")
_ADDRESSES = (
    "AssociatePublicIpAddress",
    "Ipv6AddressCount",
    "Ipv6Addresses",
    "PrivateIpAddress",
    "PrivateIpAddresses",
    "SecondaryPrivateIpAddressCount",
    "Ipv4PrefixCount",
    "Ipv6PrefixCount",
)


@refuses("ec2", "CreateLaunchTemplate", "CreateLaunchTemplateVersion")
def of_a_template(place: Place, given: dict[str, Any]) -> None:
    """A template that no launch could use; EC2 itself would say so at the launch."""
    check(place, given["LaunchTemplateData"], given["LaunchTemplateData"].get("InstanceType"))


@refuses("ec2", "RunInstances")
def of_a_launch(place: Place, given: dict[str, Any]) -> None:
    """The interfaces of a launch."""
    check(place, given, given.get("InstanceType"))


def check(place: Place, data: Document, instance_type: str | None) -> None:
    """Raises Refused; a type that is not known yet leaves the questions about its cards open."""
    interfaces: list[Document] = data.get("NetworkInterfaces") or []
    if not interfaces:
        return
    _check_places(interfaces)
    for interface in interfaces:
        if kind(interface) == "efa-only":
            _check_efa_only(interface)
    if len(interfaces) > 1 and any("AssociatePublicIpAddress" in item for item in interfaces):
        raise Refused(
            "InvalidParameterCombination",
            "The associatePublicIPAddress parameter cannot be specified when launching with multiple "
            "network interfaces.",
        )
    if data.get("SecurityGroupIds") or data.get("SecurityGroups"):
        raise Refused(
            "InvalidParameterCombination",
            "Network interfaces and an instance-level security groups may not be specified on the same "
            "request",
        )
    if instance_type is not None:
        _check_cards(place, interfaces, instance_type)


def kind(interface: Document) -> str:
    """interface, efa or efa-only."""
    return interface.get("InterfaceType") or "interface"


def _slot(interface: Document) -> tuple[int, int]:
    return int(interface.get("NetworkCardIndex") or 0), int(interface.get("DeviceIndex") or 0)


def _check_places(interfaces: list[Document]) -> None:
    slots = [_slot(item) for item in interfaces]
    for slot in slots:
        if slots.count(slot) > 1:
            raise Refused(
                "InvalidParameterValue",
                f"Each network interface requires a unique device index on its network card; "
                f"device index {slot[1]} of network card {slot[0]} is used more than once.",
            )
    if (0, 0) not in slots:
        raise Refused(
            "InvalidParameterCombination",
            "When specifying network interfaces, you must include a device at index 0 of network card 0.",
        )


def _check_efa_only(interface: Document) -> None:
    if _slot(interface) == (0, 0):
        raise Refused(
            "InvalidParameterCombination",
            "The primary network interface (network card index 0, device index 0) cannot be of type "
            "efa-only.",
        )
    given = [key for key in _ADDRESSES if interface.get(key)]
    if given:
        raise Refused(
            "InvalidParameterCombination",
            f"Network interfaces of type efa-only do not support IP addresses; {given[0]} was given.",
        )


def _check_cards(place: Place, interfaces: list[Document], instance_type: str) -> None:
    description = place.instance_type(instance_type)
    if description is None:
        raise Refused("InvalidInstanceType", f"The instance type '{instance_type}' does not exist.")
    network = description["NetworkInfo"]
    cards = {card["NetworkCardIndex"]: card for card in network["NetworkCards"]}
    for interface in interfaces:
        card, device = _slot(interface)
        if card not in cards:
            raise Refused(
                "InvalidNetworkCardIndex",
                f"Network card index {card} exceeds the network cards of {instance_type}, which has "
                f"{network['MaximumNetworkCards']}.",
            )
        if kind(interface) in _EFA:
            _check_efa(network, cards[card], instance_type)
        if device > cards[card]["MaximumNetworkInterfaces"]:
            raise Refused(
                "AttachmentLimitExceeded",
                f"Device index {device} is beyond the interfaces of network card {card} of {instance_type}.",
            )
    for card, description in cards.items():
        used = sum(1 for item in interfaces if _slot(item)[0] == card)
        if used > description["MaximumNetworkInterfaces"]:
            raise Refused(
                "AttachmentLimitExceeded",
                f"Interface count {used} on network card {card} exceeds the limit for {instance_type}.",
            )
    efas = sum(1 for item in interfaces if kind(item) in _EFA)
    most = network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
    if efas > most:
        raise Refused(
            "AttachmentLimitExceeded",
            f"EFA interfaces count {efas} exceeds allowed limit of {most} for {instance_type}.",
        )


def _check_efa(network: Document, card: Document, instance_type: str) -> None:
    if not network.get("EfaSupported"):
        raise Refused(
            "InvalidParameterCombination",
            f"The instance type '{instance_type}' does not support Elastic Fabric Adapter (EFA).",
        )
    ena_only = "InterfaceTypes" in card and not set(_EFA) & set(card["InterfaceTypes"])
    # A type with fewer EFAs than cards keeps card 0 for ordinary traffic.
    fewer = network["EfaInfo"]["MaximumEfaInterfaces"] < network["MaximumNetworkCards"]
    if ena_only or (card["NetworkCardIndex"] == 0 and fewer):
        raise Refused(
            "InvalidParameterCombination",
            f"Network card {card['NetworkCardIndex']} of {instance_type} does not support EFA interfaces.",
        )
