"""Defects of released TensorRT-LLM runtimes on particular hardware, and the setting that avoids each.

Data: the graph manifest sets the variables, `explain` and the documents say why.
"""

from dataclasses import dataclass

from hardware import InstanceType
from recipes.tensorrt_llm.options import EngineSettings
from recipes.tensorrt_llm.versions import release_line

LINE_WITH_DEEP_EP_CRASH = (1, 2)


@dataclass(frozen=True, slots=True)
class Workaround:
    """One environment variable that keeps a worker away from a known defect."""

    name: str
    value: str
    why: str
    source: str


_ALLGATHER = Workaround(
    "TRTLLM_FORCE_COMM_METHOD",
    "ALLGATHER",
    "with attention data parallelism the engine of release 1.2 picks DeepEP on GB200 and stops with an "
    "illegal memory access",
    "ai-dynamo/dynamo#9914",
)
_NO_MNNVL_IN_NCCL = Workaround(
    "NCCL_MNNVL_ENABLE",
    "0",
    "NCCL finds NVLink between nodes, and stops at model load in a pod without an IMEX channel; within a "
    "node it needs none",
    "NVIDIA/nccl#1925",
)


def known_defects(
    options: EngineSettings,
    *,
    instance_type: InstanceType,
    runtime_version: str,
    has_imex_channel: bool,
) -> tuple[Workaround, ...]:
    """Return what a worker needs against the defects that it would meet.

    Args:
        options: of the worker's engine.
        instance_type: of its nodes.
        runtime_version: tag of the runtime image.
        has_imex_channel: whether its pod claims a channel of a compute domain.

    Raises:
        ValueError: the tag is no release's, so that nobody knows its defects.

    """
    found: list[Workaround] = []
    on_gb200 = instance_type.accelerator.name == "GB200"
    if on_gb200 and options.enable_attention_dp and release_line(runtime_version) == LINE_WITH_DEEP_EP_CRASH:
        found.append(_ALLGATHER)
    if instance_type.nvlink_crosses_nodes and not has_imex_channel:
        found.append(_NO_MNNVL_IN_NCCL)
    return tuple(found)
