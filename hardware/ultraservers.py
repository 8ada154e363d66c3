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
    usd_per_hour: float
    """US dollars per hour in a Capacity Block."""
    source: Source
    price_source: Source


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone outside the regions' own availability zones in which a type is offered."""

    name: str
    source: Source


X36 = UltraServer(
    name="u-p6e-gb200x36",
    trays=9,
    gpus=36,
    usd_per_hour=380.952,
    source=P6_PRODUCT_PAGE,
    price_source=CAPACITY_BLOCK_PRICES,
)
X72 = UltraServer(
    name="u-p6e-gb200x72",
    trays=18,
    gpus=72,
    usd_per_hour=761.904,
    source=P6_PRODUCT_PAGE,
    price_source=CAPACITY_BLOCK_PRICES,
)

GB200_ZONES: tuple[Zone, ...] = (
    # Dallas, the zone in which AWS documents P6e-GB200.
    Zone("us-east-1-dfw-2a", EKS_ULTRASERVER_GUIDE),
    # Atlanta and Phoenix are priced, but the EC2 and EKS guides name Dallas alone: ask
    # describe-capacity-block-offerings first.
    Zone("us-east-1-atl-2a", CAPACITY_BLOCK_PRICES),
    Zone("us-west-2-phx-2a", CAPACITY_BLOCK_PRICES),
)
