"""The GPUs this project knows, as a Kubernetes cluster sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import with_config

from hardware.machines import read_machines
from hardware.source import Source

ArchitectureFamily = Literal["blackwell", "hopper", "ampere"]
CpuArchitecture = Literal["amd64", "arm64"]

GPU_RESOURCE = "nvidia.com/gpu"
"""The extended resource as which a device plugin offers GPUs, and the key of the taint of nodes with them."""


@with_config(extra="forbid")
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


@with_config(extra="forbid")
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


ACCELERATORS: Mapping[str, Accelerator] = read_machines(dict[str, Accelerator], "accelerators")
