"""How the network cards of an EC2 instance are used: which card carries IP, which carry EFA only."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

InterfaceKind = Literal["interface", "efa-only"]


@dataclass(frozen=True, slots=True)
class NetworkInterface:
    """One network interface of a launch template."""

    card: int
    """NetworkCardIndex."""
    device: int
    """DeviceIndex on that card."""
    kind: InterfaceKind
    """InterfaceType. An efa-only interface takes no IP address."""


@dataclass(frozen=True, slots=True)
class NetworkLayout:
    """The interfaces of one node, as documented for EKS."""

    network_cards: int
    """Cards of the instance type; a layout may leave some unused."""
    interfaces: tuple[NetworkInterface, ...]
    efa_gbit_per_second: float
    """Sum over the EFA interfaces of this layout, in Gbit/s."""
    ip_gbit_per_second: float
    """Bandwidth of card 0, which carries IP, in Gbit/s."""

    @property
    def efa_interfaces(self) -> int:
        """What the EFA device plugin offers on such a node as vpc.amazonaws.com/efa."""
        return sum(interface.kind == "efa-only" for interface in self.interfaces)


def efa_on_every_card(network_cards: int, *, efa_gbit: float, ip_gbit: float) -> NetworkLayout:
    """The layout where card 0 carries IP and, on a second device, EFA; every other card EFA only."""
    shared = NetworkInterface(card=0, device=1, kind="efa-only")
    return _layout(network_cards, efa_gbit, ip_gbit, [shared, *_efa_only(range(1, network_cards))])


def efa_beside_card_zero(
    network_cards: int, efa_cards: Iterable[int], *, efa_gbit: float, ip_gbit: float
) -> NetworkLayout:
    """The layout where card 0 has no EFA: it carries IP, the given cards EFA only."""
    return _layout(network_cards, efa_gbit, ip_gbit, _efa_only(efa_cards))


def _layout(
    network_cards: int, efa_gbit: float, ip_gbit: float, efa: list[NetworkInterface]
) -> NetworkLayout:
    # EC2 refuses an efa-only interface as the primary one.
    primary = NetworkInterface(card=0, device=0, kind="interface")
    return NetworkLayout(network_cards, (primary, *efa), efa_gbit, ip_gbit)


def _efa_only(cards: Iterable[int]) -> list[NetworkInterface]:
    # AWS ParallelCluster (cli/src/pcluster/templates/queues_stack.py) puts these at device 1 on cards that
    # take several interfaces. The EC2 user guide says device 0 for efa-only, and EKS shows it for p6-b200.
    return [NetworkInterface(card=card, device=0, kind="efa-only") for card in cards]
