"""Settings of nodes that no EC2 instance type names."""

from collections.abc import Mapping

from pydantic import Field

from hardware import CpuArchitecture
from recipes.placed import TaintEffect
from recipes.strict_model import StrictModel
from stacks.settings.setting_types import Count, LabelKey, LabelValue, Text, VolumeSize


class TaintSettings(StrictModel):
    """A taint as the node has it."""

    key: LabelKey
    """Such as nvidia.com/gpu."""
    value: LabelValue | None = None
    """None: the taint has none."""
    effect: TaintEffect
    """What happens to pods that do not tolerate it."""


class NodeSettings(StrictModel):
    """One node of a pool: what pods can have of it, and how they find it."""

    accelerator: Text
    """Model of its GPUs, such as B200."""
    gpus: Count
    """GPUs that pods can have (allocatable nvidia.com/gpu)."""
    cpu: Count
    """CPUs that pods can have (allocatable cpu)."""
    memory: VolumeSize
    """Memory that pods can have (allocatable memory)."""
    architecture: CpuArchitecture
    """Of its processors, as in the node label kubernetes.io/arch."""
    nvlink_domain_gpus: Count | None = None
    """GPUs of one NVLink domain; None: those of the node. Required for GB200 and GB300: 36 or 72 of a rack,
    the GPUs of the node where nothing joins its trays."""
    labels: Mapping[LabelKey, LabelValue] = Field(default_factory=dict[str, str])
    """Node labels that find these GPUs, such as cloud.google.com/gke-accelerator, instead of
    nvidia.com/gpu.product; left out: that one, with the value that the accelerator has."""
    taints: tuple[TaintSettings, ...] | None = None
    """Taints of the nodes, which workers tolerate, nvidia.com/gpu in any case; None: nobody says which."""
