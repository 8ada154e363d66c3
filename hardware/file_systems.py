"""What a file system for the model costs."""

from collections.abc import Mapping
from types import MappingProxyType

_HOURS_A_MONTH = 730
"""Hours by which AWS turns monthly prices into hourly ones."""

LUSTRE_USD_PER_GIB_MONTH: Mapping[int, float] = MappingProxyType(
    {125: 0.145, 250: 0.210, 500: 0.340, 1000: 0.600}
)
"""MB/s a TiB -> US dollars a GiB and month of persistent SSD storage in us-east-1
(hardware/source.py, FSX_LUSTRE_PRICES)."""


def lustre_usd_per_hour(gib: int, throughput: int) -> float:
    """US dollars an hour of a file system of that size in us-east-1; the tier is one of the table."""
    return gib * LUSTRE_USD_PER_GIB_MONTH[throughput] / _HOURS_A_MONTH
