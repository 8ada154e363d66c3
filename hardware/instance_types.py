"""The EC2 instance types this project knows: what one node of a pool is."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from hardware.accelerators import B200, GB200, H200, Accelerator
from hardware.source import (
    CAPACITY_BLOCK_PRICES,
    EC2_DESCRIBE_INSTANCE_TYPES,
    EC2_PRICE_LIST,
    EKS_ULTRASERVER_GUIDE,
    Source,
)

CpuArchitecture = Literal["amd64", "arm64"]


@dataclass(frozen=True, slots=True)
class InstanceType:
    """One EC2 instance type with GPUs; outside AWS it stands for a node of the same shape."""

    name: str

    accelerator: Accelerator

    gpus: int
    """GPUs of one node: no worker pod can have more."""

    cpu_architecture: CpuArchitecture
    """In the words of the node label kubernetes.io/arch."""

    vcpus: int

    memory_gib: int
    """Nominal host memory in GiB; the kubelet offers less."""

    nvlink_domain_gpus: tuple[int, ...]
    """Sizes, in GPUs, of the NVLink domains this type is sold in. (8,) is the node itself."""

    on_demand_usd_per_gpu_hour: float | None
    """US dollars per GPU and hour on demand; None where the type is not sold on demand."""

    capacity_block_usd_per_gpu_hour: float | None
    """US dollars per GPU and hour in a Capacity Block, the lowest published rate."""

    sources: Mapping[str, Source]
    """Field name -> where its value was read."""

    @property
    def nvlink_crosses_nodes(self) -> bool:
        """Whether GPUs of different nodes can share one NVLink domain."""
        return max(self.nvlink_domain_gpus) > self.gpus


def _sources(shape: Source) -> Mapping[str, Source]:
    shape_fields = ("accelerator", "gpus", "cpu_architecture", "vcpus", "memory_gib", "nvlink_domain_gpus")
    prices = {
        "on_demand_usd_per_gpu_hour": EC2_PRICE_LIST,
        "capacity_block_usd_per_gpu_hour": CAPACITY_BLOCK_PRICES,
    }
    return MappingProxyType(dict.fromkeys(shape_fields, shape) | prices)


P6_B200 = InstanceType(
    name="p6-b200.48xlarge",
    accelerator=B200,
    gpus=8,
    cpu_architecture="amd64",
    vcpus=192,
    memory_gib=2048,
    nvlink_domain_gpus=(8,),
    on_demand_usd_per_gpu_hour=113.9328 / 8,
    capacity_block_usd_per_gpu_hour=12.355,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES),
)
# One tray of an NVL72 rack: 4 GPUs and arm64. A profile with 8 GPUs on x86 that circulates under the
# name "p6-gb200" describes no machine that is sold; a worker sized by it would never be scheduled.
P6E_GB200 = InstanceType(
    name="p6e-gb200.36xlarge",
    accelerator=GB200,
    gpus=4,
    cpu_architecture="arm64",
    vcpus=144,
    memory_gib=960,
    nvlink_domain_gpus=(36, 72),
    on_demand_usd_per_gpu_hour=None,
    capacity_block_usd_per_gpu_hour=10.582,
    sources=_sources(EKS_ULTRASERVER_GUIDE),
)
P5EN = InstanceType(
    name="p5en.48xlarge",
    accelerator=H200,
    gpus=8,
    cpu_architecture="amd64",
    vcpus=192,
    memory_gib=2048,
    nvlink_domain_gpus=(8,),
    on_demand_usd_per_gpu_hour=63.296 / 8,
    capacity_block_usd_per_gpu_hour=6.241,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES),
)

INSTANCE_TYPES: Mapping[str, InstanceType] = MappingProxyType(
    {instance_type.name: instance_type for instance_type in (P6_B200, P6E_GB200, P5EN)}
)
