"""What AWS names a Local Zone, and charges for a file system."""

import re
from collections.abc import Mapping
from types import MappingProxyType

LARGEST_PACKET_TO_REGION = 8801
"""Bytes of the largest packet between a Local Zone and its region: us-east-1-dfw-2a, where GB200 is sold
(https://docs.aws.amazon.com/local-zones/latest/ug/how-local-zones-work.html). Whether hosts learn it by
path-MTU discovery was not tried; where ICMP is lost, connections hang (aws/amazon-vpc-cni-k8s#356)."""

_LOCAL = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]-[a-z]{3}-[0-9][a-z]")

_HOURS_A_MONTH = 730
"""Hours by which AWS turns monthly prices into hourly ones."""

LUSTRE_USD_PER_GIB_MONTH: Mapping[int, float] = MappingProxyType(
    {125: 0.145, 250: 0.210, 500: 0.340, 1000: 0.600}
)
"""MB/s a TiB -> US dollars a GiB and month of persistent SSD storage in us-east-1
(hardware/source.py, FSX_LUSTRE_PRICES)."""


def is_local_zone(zone: str) -> bool:
    """Whether the zone of this name, such as us-east-1-dfw-2a, is a Local Zone."""
    return _LOCAL.fullmatch(zone) is not None


def lustre_usd_per_hour(gib: int, throughput: int) -> float:
    """US dollars an hour of a file system of that size in us-east-1; the tier is one of the table."""
    return gib * LUSTRE_USD_PER_GIB_MONTH[throughput] / _HOURS_A_MONTH
