"""Defects of released runtimes on particular hardware, and the variable that avoids each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Workaround:
    """One environment variable that keeps a worker away from a known defect."""

    name: str
    value: str
    why: str
    source: str


DEEP_EP_CRASH_LINE = (1, 2)
"""Release line of Dynamo whose TensorRT-LLM has the defect that `WITHOUT_DEEP_EP` avoids."""
DEEP_EP_CRASH_ACCELERATOR = "GB200"

WITHOUT_DEEP_EP = Workaround(
    "TRTLLM_FORCE_COMM_METHOD",
    "ALLGATHER",
    "with attention data parallelism the engine of release 1.2 picks DeepEP on GB200 and stops with an "
    "illegal memory access",
    "ai-dynamo/dynamo#9914",
)
WITHOUT_MNNVL_IN_NCCL = Workaround(
    "NCCL_MNNVL_ENABLE",
    "0",
    "NCCL finds NVLink between nodes, and stops at model load in a pod without an IMEX channel; within a "
    "node it needs none",
    "NVIDIA/nccl#1925",
)
