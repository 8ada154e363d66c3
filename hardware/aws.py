"""What AWS keeps of a node, names a Local Zone, and charges for a file system."""

import re
from collections.abc import Mapping
from types import MappingProxyType

LARGEST_PACKET_TO_REGION = 8801
"""Bytes of the largest packet between a Local Zone and its region: us-east-1-dfw-2a, where GB200 is sold
(https://docs.aws.amazon.com/local-zones/latest/ug/how-local-zones-work.html). Whether hosts learn it by
path-MTU discovery was not tried; where ICMP is lost, connections hang (aws/amazon-vpc-cni-k8s#356)."""

_LOCAL = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]-[a-z]{3}-[0-9][a-z]")

# What EKS' image keeps of a node for the system. The kernel and huge pages take memory as well, but no
# formula for them is published.
_MILLICORES = (60.0, 10.0, 5.0, 5.0)
"""Millicores reserved of cores 1 to 4: 6%, 1%, 0.5%, 0.5% (hardware/source.py, EKS_NODE_RESERVATION)."""
_MILLICORES_OF_EVERY_OTHER = 2.5
_MIB, _MIB_PER_POD, _EVICTION_MIB = 255, 11, 100

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


def eks_reserved_cpus(vcpus: int) -> float:
    """CPUs that a kubelet of EKS reserves on a node with that many."""
    others = max(0, vcpus - len(_MILLICORES))
    return int(sum(_MILLICORES[:vcpus]) + _MILLICORES_OF_EVERY_OTHER * others) / 1000


def eks_reserved_gib(most_pods: int) -> float:
    """Memory in GiB that it reserves, or evicts pods to keep, on a node that takes that many pods."""
    return (_MIB + _MIB_PER_POD * most_pods + _EVICTION_MIB) / 1024


def lustre_usd_per_hour(gib: int, throughput: int) -> float:
    """US dollars an hour of a file system of that size in us-east-1; the tier is one of the table."""
    return gib * LUSTRE_USD_PER_GIB_MONTH[throughput] / _HOURS_A_MONTH
