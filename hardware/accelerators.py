"""The GPUs this project knows, as a Kubernetes cluster sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from hardware.source import (
    CUDA_COMPUTE_CAPABILITY,
    EC2_DESCRIBE_INSTANCE_TYPES,
    GPU_FEATURE_DISCOVERY,
    TENSORRT_LLM_GB200_MEMORY,
    UNSLOTH_B200_MEMORY,
    Source,
)

ArchitectureFamily = Literal["blackwell", "hopper"]


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One GPU model."""

    name: str
    """The short name that people type: B200, GB200, H200."""

    product_label: str
    """Value of the node label nvidia.com/gpu.product that gpu-feature-discovery sets."""

    memory_mib: int
    """Memory of one GPU in MiB as the driver (or, for H200, EC2) reports it, before CUDA's own share."""

    compute_capability: tuple[int, int]
    """CUDA compute capability (major, minor); kernels are chosen by it."""

    architecture_family: ArchitectureFamily
    """MXFP4 weights with MXFP8 activations have kernels on Blackwell only."""

    sources: Mapping[str, Source]
    """Field name -> where its value was read."""


def _sources(memory: Source) -> Mapping[str, Source]:
    sources = {
        "product_label": GPU_FEATURE_DISCOVERY,
        "memory_mib": memory,
        "compute_capability": CUDA_COMPUTE_CAPABILITY,
        "architecture_family": CUDA_COMPUTE_CAPABILITY,
    }
    return MappingProxyType(sources)


B200 = Accelerator(
    name="B200",
    product_label="NVIDIA-B200",
    memory_mib=183_359,
    compute_capability=(10, 0),
    architecture_family="blackwell",
    sources=_sources(memory=UNSLOTH_B200_MEMORY),
)
GB200 = Accelerator(
    name="GB200",
    product_label="NVIDIA-GB200",
    memory_mib=189_471,
    compute_capability=(10, 0),
    architecture_family="blackwell",
    sources=_sources(memory=TENSORRT_LLM_GB200_MEMORY),
)
# Here so that a recipe that needs Blackwell can be refused by name instead of as "unknown GPU".
H200 = Accelerator(
    name="H200",
    product_label="NVIDIA-H200",
    memory_mib=144_384,
    compute_capability=(9, 0),
    architecture_family="hopper",
    sources=_sources(memory=EC2_DESCRIBE_INSTANCE_TYPES),
)

ACCELERATORS: Mapping[str, Accelerator] = MappingProxyType(
    {accelerator.name: accelerator for accelerator in (B200, GB200, H200)}
)
