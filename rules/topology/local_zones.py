"""The link between a Local Zone and its region."""

import json
from collections.abc import Iterator

from hardware import LARGEST_PACKET_TO_REGION, is_local_zone
from resource_graph import Resource, ResourceGraph
from rules.model import Severity
from rules.reading.pools import NODE_GROUP_TYPE
from rules.reading.shapes import Undecided, text_at
from rules.rule import rule
from rules.subjects import resources_of_type

_CNI = "vpc-cni"
_VARIABLE = "AWS_VPC_ENI_MTU"
_OWN_CHOICE = 9001
"""What the CNI takes by itself (aws/amazon-vpc-cni-k8s README.md)."""


@rule(
    resources_of_type("aws:eks/addon:Addon"),
    severity=Severity.ADVISORY,
    reason=(
        "Between a Local Zone and its region a packet has 8,801 bytes at most, and pods send 9,001: where "
        "the ICMP answer is lost, a connection to NATS, a file system or the API server hangs in its first "
        "large packet."
    ),
    source=(
        "https://docs.aws.amazon.com/local-zones/latest/ug/how-local-zones-work.html; "
        "aws/amazon-vpc-cni-k8s#356 (connections that hang where ICMP is lost)"
    ),
    lines=("Amazon VPC CNI 1.22",),
    fix=f'Set env: {{{_VARIABLE}: "{LARGEST_PACKET_TO_REGION}"}} in configurationValues of the add-on.',
)
def packets_fit_local_zone(graph: ResourceGraph, addon: Resource) -> Iterator[str]:
    """Packets are too large for a Local Zone's link."""
    if text_at(addon.inputs, "addonName") != _CNI:
        return
    zone = _zone_with_nodes(graph)
    if zone is None:
        return
    size = _largest_packet(text_at(addon.inputs, "configurationValues"))
    if size > LARGEST_PACKET_TO_REGION:
        yield f"lets pods send {size:,} bytes, and to nodes in {zone} go {LARGEST_PACKET_TO_REGION:,}"


def _zone_with_nodes(graph: ResourceGraph) -> str | None:
    """Return a Local Zone in which the graph has nodes, as far as it makes the subnets."""
    groups = graph.of_type(NODE_GROUP_TYPE)
    for subnet in graph.of_type("aws:ec2/subnet:Subnet"):
        zone = text_at(subnet.inputs, "availabilityZone")
        if zone and is_local_zone(zone) and any(graph.depends_on(group, subnet) for group in groups):
            return zone
    return None


def _largest_packet(configuration: str | None) -> int:
    try:
        told = json.loads(configuration or "{}")
        return int(told.get("env", {}).get(_VARIABLE, _OWN_CHOICE))
    except (ValueError, TypeError, AttributeError):
        raise Undecided(f"nobody can tell what its configurationValues set {_VARIABLE} to") from None
