"""What one EC2 instance type is, in the numbers that placement, networking and cost are computed from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hardware.accelerators import Accelerator, CpuArchitecture
from hardware.network_interfaces import NetworkLayout
from hardware.source import Source
from hardware.ultraservers import UltraServer, Zone

PurchaseOption = Literal["on-demand", "spot", "capacity-block"]


@dataclass(frozen=True, slots=True)
class LocalNvme:
    """The instance's own disks: fast, and empty again when the instance stops."""

    count: int
    gigabytes_each: int

    @property
    def gigabytes(self) -> int:
        """GB of all disks."""
        return self.count * self.gigabytes_each


@dataclass(frozen=True, slots=True)
class InstanceType:
    """One EC2 instance type with GPUs, or a node elsewhere that somebody describes (described_node)."""

    name: str

    accelerator: Accelerator

    gpus: int
    """GPUs of one node: no worker pod can have more."""

    cpu_architecture: CpuArchitecture
    """CPU architecture in the words of the node label kubernetes.io/arch."""

    vcpus: int

    memory_gib: int
    """Nominal host memory in GiB; the kubelet offers less."""

    nvlink_domain_gpus: tuple[int, ...]
    """Sizes, in GPUs, of the NVLink domains this type is sold in. (8,) is the node itself."""

    network: NetworkLayout

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

    on_demand_usd_per_gpu_hour: float | None
    """US dollars per GPU and hour on demand; None where the type is not sold on demand."""

    capacity_block_usd_per_gpu_hour: float | None
    """US dollars per GPU and hour in a Capacity Block, the lowest published rate; None where none is."""

    sources: Mapping[str, Source]
    """Field name -> where its value was read; empty for a described node."""

    @property
    def listed_price(self) -> tuple[float, Source] | None:
        """US dollars per GPU and hour on demand, or else in a Capacity Block; None where neither is known."""
        for field in ("on_demand_usd_per_gpu_hour", "capacity_block_usd_per_gpu_hour"):
            usd: float | None = getattr(self, field)
            if usd is not None:
                return usd, self.sources[field]
        return None

    @property
    def nvlink_crosses_nodes(self) -> bool:
        """Whether GPUs of different nodes can share one NVLink domain."""
        return max(self.nvlink_domain_gpus) > self.gpus

    @property
    def efa_interfaces(self) -> int:
        """What the EFA device plugin offers on one node as vpc.amazonaws.com/efa."""
        return self.network.efa_interfaces

    @property
    def efa_gbit_per_second_per_gpu(self) -> float:
        """A GPU's share of the node's EFA bandwidth, in Gbit/s."""
        return self.network.efa_gbit_per_second / self.gpus

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
