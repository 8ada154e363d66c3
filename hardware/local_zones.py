"""Local Zones of AWS, which have nodes and little else, and the link to their region."""

import re

LARGEST_PACKET_TO_REGION = 8801
"""Bytes of the largest packet between a Local Zone and its region: us-east-1-dfw-2a, where GB200 is sold
(https://docs.aws.amazon.com/local-zones/latest/ug/how-local-zones-work.html). Whether hosts learn it by
path-MTU discovery was not tried; where ICMP is lost, connections hang (aws/amazon-vpc-cni-k8s#356)."""

_LOCAL = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]-[a-z]{3}-[0-9][a-z]")


def is_local_zone(zone: str) -> bool:
    """Whether the zone of this name, such as us-east-1-dfw-2a, is a Local Zone."""
    return _LOCAL.fullmatch(zone) is not None
