"""The GPUs this project knows, as a Kubernetes cluster sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from hardware.source import (
    COSMOS_B300_NAME,
    CUDA_COMPUTE_CAPABILITY,
    EC2_DESCRIBE_INSTANCE_TYPES,
    GB200_DRIVER_MEMORY,
    GB300_DRIVER_MEMORY,
    GPU_FEATURE_DISCOVERY,
    H100_REPORTED_MEMORY,
    MEGATRON_GB300_MEMORY,
    NO_PUBLIC_READING,
    NVIDIA_HGX,
    NVIDIA_NVL72,
    UNSLOTH_B200_MEMORY,
    Source,
)

ArchitectureFamily = Literal["blackwell", "hopper", "ampere"]
CpuArchitecture = Literal["amd64", "arm64"]

GPU_RESOURCE = "nvidia.com/gpu"
"""The extended resource as which a device plugin offers GPUs, and the key of the taint of nodes with them."""


@dataclass(frozen=True, slots=True)
class Host:
    """The machines that an accelerator is built into."""

    cpu_architecture: CpuArchitecture
    """CPU architecture in the words of the node label kubernetes.io/arch."""

    gpu_counts: tuple[int, ...]
    """GPUs that a node can have: all of its board, or the part of it that a virtual machine is given."""

    nvlink_domain_gpus: int
    """GPUs of the largest NVLink domain."""

    @property
    def nvlink_crosses_nodes(self) -> bool:
        """Whether GPUs of different nodes can share one NVLink domain."""
        return self.nvlink_domain_gpus > max(self.gpu_counts)


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One GPU model."""

    name: str
    """The short name that people type: B200, GB200, H200."""

    product_label: str
    """Value of the node label nvidia.com/gpu.product that gpu-feature-discovery sets."""

    memory_mib: int
    """Memory of one GPU in MiB, before CUDA's own share: what the driver reports (B200, GB200, B300) or the
    nominal size that EC2 reports (H200, H100, A100)."""

    cuda_visible_memory_gib: float | None
    """GiB that an engine can allocate from, CUDA's own share taken off; None where nobody published it."""

    compute_capability: tuple[int, int]
    """CUDA compute capability (major, minor); kernels are chosen by it."""

    architecture_family: ArchitectureFamily
    """MXFP4 weights with MXFP8 activations have kernels on Blackwell only."""

    host: Host

    sources: Mapping[str, Source]
    """Field name -> where its value was read."""


_HGX = Host("amd64", (1, 2, 4, 8), 8)
_HGX_OF_SIXTEEN = Host("amd64", (1, 2, 4, 8, 16), 16)
_NVL72 = Host("arm64", (1, 2, 4), 72)


def _sources(
    memory: Source,
    cuda_visible_memory: Source = NO_PUBLIC_READING,
    label: Source = GPU_FEATURE_DISCOVERY,
    host: Source = NVIDIA_HGX,
) -> Mapping[str, Source]:
    sources = {
        "product_label": label,
        "memory_mib": memory,
        "cuda_visible_memory_gib": cuda_visible_memory,
        "compute_capability": CUDA_COMPUTE_CAPABILITY,
        "architecture_family": CUDA_COMPUTE_CAPABILITY,
        "host": host,
    }
    return MappingProxyType(sources)


B200 = Accelerator(
    name="B200",
    product_label="NVIDIA-B200",
    memory_mib=183_359,
    cuda_visible_memory_gib=178.35,
    compute_capability=(10, 0),
    architecture_family="blackwell",
    host=_HGX,
    sources=_sources(UNSLOTH_B200_MEMORY, UNSLOTH_B200_MEMORY),
)
GB200 = Accelerator(
    name="GB200",
    product_label="NVIDIA-GB200",
    memory_mib=189_471,
    cuda_visible_memory_gib=184.0,
    compute_capability=(10, 0),
    architecture_family="blackwell",
    host=_NVL72,
    sources=_sources(GB200_DRIVER_MEMORY, GB200_DRIVER_MEMORY, host=NVIDIA_NVL72),
)
B300 = Accelerator(
    name="B300",
    product_label="NVIDIA-B300-SXM6-AC",
    memory_mib=275_040,
    cuda_visible_memory_gib=None,
    compute_capability=(10, 3),
    architecture_family="blackwell",
    host=_HGX,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES, label=COSMOS_B300_NAME),
)
GB300 = Accelerator(
    name="GB300",
    product_label="NVIDIA-GB300",
    memory_mib=284_208,
    cuda_visible_memory_gib=276.5,
    compute_capability=(10, 3),
    architecture_family="blackwell",
    host=_NVL72,
    sources=_sources(GB300_DRIVER_MEMORY, MEGATRON_GB300_MEMORY, host=NVIDIA_NVL72),
)
# Hopper and Ampere are here so that a recipe that needs Blackwell can be refused by name instead of as
# "unknown GPU".
H200 = Accelerator(
    name="H200",
    product_label="NVIDIA-H200",
    memory_mib=144_384,
    cuda_visible_memory_gib=None,
    compute_capability=(9, 0),
    architecture_family="hopper",
    host=_HGX,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES),
)
H100 = Accelerator(
    name="H100",
    product_label="NVIDIA-H100-80GB-HBM3",
    memory_mib=81_920,
    cuda_visible_memory_gib=79.11,
    compute_capability=(9, 0),
    architecture_family="hopper",
    host=_HGX,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES, H100_REPORTED_MEMORY),
)
A100 = Accelerator(
    name="A100",
    product_label="NVIDIA-A100-SXM4-80GB",
    memory_mib=81_920,
    cuda_visible_memory_gib=None,
    compute_capability=(8, 0),
    architecture_family="ampere",
    host=_HGX,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES),
)
# The label differs with the memory, and a label that is not here cannot be refused by name.
A100_40GB = Accelerator(
    name="A100-40GB",
    product_label="NVIDIA-A100-SXM4-40GB",
    memory_mib=40_960,
    cuda_visible_memory_gib=None,
    compute_capability=(8, 0),
    architecture_family="ampere",
    host=_HGX_OF_SIXTEEN,
    sources=_sources(EC2_DESCRIBE_INSTANCE_TYPES),
)

ACCELERATORS: Mapping[str, Accelerator] = MappingProxyType(
    {accelerator.name: accelerator for accelerator in (B200, GB200, B300, GB300, H200, H100, A100, A100_40GB)}
)
