"""Defects of released runtimes on particular hardware, of any engine, and the variable that avoids each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Workaround:
    """One environment variable that keeps a worker away from a known defect."""

    name: str
    value: str
    why: str
    source: str


WITHOUT_MNNVL_IN_NCCL = Workaround(
    "NCCL_MNNVL_ENABLE",
    "0",
    "NCCL finds NVLink between nodes, and stops at model load in a pod without an IMEX channel; within a "
    "node it needs none",
    "NVIDIA/nccl#1925",
)
