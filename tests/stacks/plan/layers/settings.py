"""Settings of stacks that own a layer each, on one cluster."""

from typing import Any

from tests.support.dev_settings import disagg_b200_settings
from tests.support.eks_settings import eks_b200_settings

ALL = ("infrastructure", "platform", "serving")
BASE, PLATFORM = "base", "dynamo"

_OWNERS = {"infrastructure": BASE, "platform": PLATFORM}


def layered(*layers: str, **changes: Any) -> dict[str, Any]:
    """An EKS stack that owns these layers and joins those below."""
    owners = {layer: _OWNERS[layer] for layer in ALL[: ALL.index(layers[0])]}
    return eks_b200_settings() | {"layers": list(layers), "layerStacks": owners} | changes


def on_existing_cluster(*layers: str) -> dict[str, Any]:
    """The same on a cluster that exists."""
    owners = {} if "platform" in layers else {"platform": PLATFORM}
    return disagg_b200_settings() | {"layers": list(layers), "layerStacks": owners}
