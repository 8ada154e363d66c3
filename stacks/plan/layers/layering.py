"""Which layers a stack registers, which it shares with other stacks, and which it joins."""

from collections.abc import Mapping
from dataclasses import dataclass

from stacks.plan.infrastructure.cluster import ClusterPlan
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.layers.contract import Contract, infrastructure_contract, platform_contract
from stacks.plan.layers.owned import joined_layers, owned_layers
from stacks.plan.platform import PlatformPlan
from stacks.settings.stack import Layer, StackSettings


@dataclass(frozen=True, slots=True)
class JoinedLayer:
    """A layer of another stack."""

    stack: str
    """Its owner, a stack of the same project."""
    contract: Contract
    """What this stack's file says of it, to be compared with what the owner says."""


@dataclass(frozen=True, slots=True)
class Layering:
    """Which layers of its file a stack registers, and which stacks have the others."""

    own: tuple[Layer, ...]
    """Layers that the stack owns, the lowest first."""
    joined: Mapping[Layer, JoinedLayer]
    """The layers below, with their owners."""
    shared: tuple[Contract, ...]
    """Contracts for the stacks that join this one; none where the settings name no `layers`."""
    nodes: tuple[PlannedNodes, ...] = ()
    """The GPU node groups of a joined infrastructure, as this file describes them."""

    def owns(self, layer: Layer) -> bool:
        """Whether this stack registers the layer."""
        return layer in self.own


def layering(
    settings: StackSettings, cluster: ClusterPlan, eks: EksPlan | None, platform: PlatformPlan | None
) -> Layering:
    """Return the layers; the settings have no `layer_problems`.

    Args:
        settings: of the stack.
        cluster: that the file describes, this stack's own or another's.
        eks: the plan of the cluster, this stack's own or another's.
        platform: that the file describes, this stack's own or another's.

    """
    own = owned_layers(settings)
    contracts = _contracts(cluster, eks, platform)
    return Layering(
        own=own,
        joined={
            layer: JoinedLayer(stack, contracts[layer]) for layer, stack in joined_layers(settings).items()
        },
        shared=tuple(contract for layer, contract in contracts.items() if settings.layers and layer in own),
        nodes=eks.gpu_nodes if eks is not None and "infrastructure" not in own else (),
    )


def _contracts(
    cluster: ClusterPlan, eks: EksPlan | None, platform: PlatformPlan | None
) -> dict[Layer, Contract]:
    found: dict[Layer, Contract] = {}
    if eks is not None:
        found["infrastructure"] = infrastructure_contract(eks)
    if platform is not None and platform.kind == "own":
        found["platform"] = platform_contract(platform, cluster)
    return found
