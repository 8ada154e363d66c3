"""Settings of who owns what: one stack for everything, or a stack a layer."""

from typing import Literal

from recipes.strict_model import StrictModel
from stacks.settings.setting_types import StackName

Layer = Literal["infrastructure", "platform", "serving"]


class LayerStacks(StrictModel):
    """The stacks of this project that own the layers below this stack's."""

    infrastructure: StackName | None = None
    """Owner of network, cluster, nodes, file system and their operators."""
    platform: StackName | None = None
    """Owner of the Dynamo platform with NATS and etcd."""
