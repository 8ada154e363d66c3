"""What a node is, in the numbers that placement, networking and cost are computed from."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, with_config

from hardware.accelerators import ACCELERATORS, Accelerator, CpuArchitecture
from hardware.kv_transport import TCP_GBIT
from hardware.machines import read_machines
from hardware.source import Source


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class NetworkInterface:
    """One network interface of a launch template."""

    card: int
    """NetworkCardIndex."""
    device: int
    """DeviceIndex on that card."""
    kind: Literal["interface", "efa-only"]
    """InterfaceType. An efa-only interface takes no IP address."""


@with_config(extra="forbid")
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


def _layout(written: Mapping[str, Any]) -> NetworkLayout:
    """The layout where card 0 carries IP, and the written cards EFA; card 0 on a second device."""
    # EC2 refuses an efa-only interface as the primary one. AWS ParallelCluster
    # (cli/src/pcluster/templates/queues_stack.py) puts the others at device 1 on cards that take several
    # interfaces. The EC2 user guide says device 0 for efa-only, and EKS shows it for p6-b200.
    primary = NetworkInterface(card=0, device=0, kind="interface")
    efa = [
        NetworkInterface(card=card, device=int(card == 0), kind="efa-only") for card in written["efa_cards"]
    ]
    interfaces = (primary, *efa)
    return NetworkLayout(written["network_cards"], interfaces, written["efa_gbit"], written["ip_gbit"])


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class UltraServer:
    """The smallest unit of GB200 that is sold: trays of one NVLink domain, in one Capacity Block."""

    name: str
    trays: int
    """Instances, each a node."""
    gpus: int
    source: Source


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class Zone:
    """A zone outside the regions' own availability zones in which a type is offered."""

    name: str
    source: Source


PurchaseOption = Literal["on demand", "Spot", "Capacity Block"]


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class Price:
    """What one GPU costs, and who says so since when."""

    option: PurchaseOption
    usd_per_gpu_hour: float
    """US dollars per GPU and hour; in a Capacity Block the lowest published rate."""
    source: Source


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class LocalNvme:
    """The instance's own disks: fast, and empty again when the instance stops."""

    count: int
    gigabytes_each: int

    @property
    def gigabytes(self) -> int:
        """GB of all disks."""
        return self.count * self.gigabytes_each


def _accelerator(name: str) -> Accelerator:
    if name not in ACCELERATORS:
        raise ValueError(f"no accelerator is called so; there are {', '.join(ACCELERATORS)}")
    return ACCELERATORS[name]


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class InstanceType:
    """One EC2 instance type with GPUs, or a node elsewhere that somebody describes (described_node)."""

    name: str

    accelerator: Annotated[Accelerator, BeforeValidator(_accelerator)]

    gpus: int
    """GPUs of one node: no worker pod can have more."""

    cpu_architecture: CpuArchitecture
    """CPU architecture in the words of the node label kubernetes.io/arch."""

    vcpus: int

    memory_gib: int
    """Nominal host memory in GiB; the kubelet offers less."""

    nvlink_domain_gpus: tuple[int, ...]
    """Sizes, in GPUs, of the NVLink domains this type is sold in. (8,) is the node itself."""

    network: Annotated[NetworkLayout, BeforeValidator(_layout)]

    gpudirect_rdma: bool
    """Whether EFA reads and writes GPU memory without a copy through the host."""

    pod_takes_every_efa_interface: bool
    """Whether a pod that uses EFA must request all of its node's interfaces."""

    local_nvme: LocalNvme

    purchase_options: tuple[PurchaseOption, ...]

    ultraservers: tuple[UltraServer, ...]
    """The units it is sold in; empty where a single instance can be bought."""

    regions: tuple[str, ...]
    """Regions with a zone of their own that offers it, when it was asked; empty where `zones` say all."""

    zones: tuple[Zone, ...]
    """Zones outside the regions' own; empty where regional availability zones offer it."""

    prices: tuple[Price, ...]
    """What is published, on demand before Capacity Blocks; a whole UltraServer costs the sum of its GPUs."""

    sources: Mapping[str, Source]
    """Field name -> where its value was read; empty for a described node."""

    @property
    def nvlink_crosses_nodes(self) -> bool:
        """Whether GPUs of different nodes can share one NVLink domain."""
        return max(self.nvlink_domain_gpus) > self.gpus

    @property
    def efa_interfaces(self) -> int:
        """What the EFA device plugin offers on one node as vpc.amazonaws.com/efa."""
        return self.network.efa_interfaces

    def efa_interfaces_per_pod(self, gpus: int) -> int:
        """How many EFA interfaces a pod with that many GPUs requests.

        Raises:
            ValueError: no pod of that size fits on the node.
        """
        if not 1 <= gpus <= self.gpus:
            raise ValueError(f"a pod on {self.name} has 1 to {self.gpus} GPUs, not {gpus}")
        if self.pod_takes_every_efa_interface:
            return self.efa_interfaces
        return gpus * (self.efa_interfaces // self.gpus)


INSTANCE_TYPES: Mapping[str, InstanceType] = read_machines(dict[str, InstanceType], "instance_types")
"""The EC2 instance types this project knows: what one node of a pool is."""
_POD_NETWORK = NetworkLayout(
    network_cards=0, interfaces=(), efa_gbit_per_second=0, ip_gbit_per_second=TCP_GBIT
)


def described_node(
    accelerator: Accelerator, *, gpus: int, vcpus: int, memory_gib: int, nvlink_domain_gpus: int
) -> InstanceType:
    """Return a node that no cloud of this project sells: without EFA, zones, offers and prices.

    Args:
        accelerator: the model of its GPUs, which says the CPU architecture too.
        gpus: of one node.
        vcpus: CPUs that pods can have.
        memory_gib: GiB that pods can have.
        nvlink_domain_gpus: GPUs of one NVLink domain.

    """
    architecture = accelerator.host.cpu_architecture
    return InstanceType(
        name=f"{gpus}x{accelerator.name}-{architecture}",
        accelerator=accelerator,
        gpus=gpus,
        cpu_architecture=architecture,
        vcpus=vcpus,
        memory_gib=memory_gib,
        nvlink_domain_gpus=(nvlink_domain_gpus,),
        network=_POD_NETWORK,
        gpudirect_rdma=False,
        pod_takes_every_efa_interface=False,
        local_nvme=LocalNvme(count=0, gigabytes_each=0),
        purchase_options=(),
        ultraservers=(),
        regions=(),
        zones=(),
        prices=(),
        sources=MappingProxyType({}),
    )
