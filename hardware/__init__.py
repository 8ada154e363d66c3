from hardware.accelerators import ACCELERATORS, Accelerator, ArchitectureFamily
from hardware.instance_types import INSTANCE_TYPES, CpuArchitecture, InstanceType
from hardware.source import Source

__all__ = [
    "ACCELERATORS",
    "INSTANCE_TYPES",
    "Accelerator",
    "ArchitectureFamily",
    "CpuArchitecture",
    "InstanceType",
    "Source",
]
