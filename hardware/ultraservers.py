"""GB200 is sold by the UltraServer: several trays of one NVLink domain, in one Capacity Block."""

from dataclasses import dataclass

from hardware.source import CAPACITY_BLOCK_PRICES, EKS_ULTRASERVER_GUIDE, P6_PRODUCT_PAGE, Source


@dataclass(frozen=True, slots=True)
class UltraServer:
    """One size of UltraServer: the smallest unit that can be bought."""

    name: str
    trays: int
    """Instances, each a node."""
    gpus: int
    gpu_memory_gb: int
    """GPU memory of all trays in GB as AWS states it."""
    vcpus: int
    memory_gib: int
    """Host memory of all trays."""
    local_nvme_tb: float
    efa_gbit_per_second: int
    usd_per_hour: float
    """US dollars per hour in a Capacity Block."""
    source: Source
    price_source: Source


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone outside the regions' own availability zones in which a type is offered."""

    name: str
    place: str
    zone_group: str | None
    """What an account must opt in to before it sees the zone; None where the source names none."""
    note: str
    source: Source


X36 = UltraServer(
    name="u-p6e-gb200x36",
    trays=9,
    gpus=36,
    gpu_memory_gb=6_660,
    vcpus=1_296,
    memory_gib=8_640,
    local_nvme_tb=202.5,
    efa_gbit_per_second=14_400,
    usd_per_hour=380.952,
    source=P6_PRODUCT_PAGE,
    price_source=CAPACITY_BLOCK_PRICES,
)
X72 = UltraServer(
    name="u-p6e-gb200x72",
    trays=18,
    gpus=72,
    gpu_memory_gb=13_320,
    vcpus=2_592,
    memory_gib=17_280,
    local_nvme_tb=405.0,
    efa_gbit_per_second=28_800,
    usd_per_hour=761.904,
    source=P6_PRODUCT_PAGE,
    price_source=CAPACITY_BLOCK_PRICES,
)

GB200_ZONES: tuple[Zone, ...] = (
    Zone(
        "us-east-1-dfw-2a",
        "Dallas Local Zone",
        "us-east-1-dfw-2",
        "the zone in which AWS documents P6e-GB200",
        EKS_ULTRASERVER_GUIDE,
    ),
    # Priced, but the EC2 and EKS guides name Dallas alone: ask describe-capacity-block-offerings first.
    Zone("us-east-1-atl-2a", "Atlanta Local Zone", None, "in the price list only", CAPACITY_BLOCK_PRICES),
    Zone("us-west-2-phx-2a", "Phoenix Local Zone", None, "in the price list only", CAPACITY_BLOCK_PRICES),
)
