"""Which defects of released TensorRT-LLM runtimes a worker would meet, and the setting that avoids each.

The graph manifest sets the variables, `explain` and the documents say why.
"""

from engines.runtime_defects import (
    DEEP_EP_CRASH_ACCELERATOR,
    DEEP_EP_CRASH_LINE,
    WITHOUT_DEEP_EP,
    WITHOUT_MNNVL_IN_NCCL,
    Workaround,
)
from hardware import InstanceType
from recipes.tensorrt_llm.options import EngineSettings
from recipes.tensorrt_llm.versions import release_line


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
    is_hit = instance_type.accelerator.name == DEEP_EP_CRASH_ACCELERATOR
    if is_hit and options.enable_attention_dp and release_line(runtime_version) == DEEP_EP_CRASH_LINE:
        found.append(WITHOUT_DEEP_EP)
    if instance_type.nvlink_crosses_nodes and not has_imex_channel:
        found.append(WITHOUT_MNNVL_IN_NCCL)
    return tuple(found)
