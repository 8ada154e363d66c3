"""Which layers a stack owns, shares and joins: plain data."""

from collections.abc import Mapping
from dataclasses import dataclass

from stacks.plan.infrastructure.eks_plan import PlannedNodes
from stacks.settings.layers import Layer

Value = str | int


@dataclass(frozen=True, slots=True)
class Contract:
    """One layer, as the settings of a file describe it to the stacks that stand on it."""

    layer: Layer
    values: Mapping[str, Value]
    """Setting -> value, for everything that a stack above relies on."""


@dataclass(frozen=True, slots=True)
class JoinedLayer:
    """A layer of another stack."""

    stack: str
    """Its owner, a stack of the same project."""
    contract: Contract
    """What this stack's file says of it, to be compared with what the owner says."""


@dataclass(frozen=True, slots=True)
class Layering:
    """What a stack registers of what its file describes, and who has the rest."""

    own: tuple[Layer, ...]
    """From below."""
    joined: Mapping[Layer, JoinedLayer]
    """The layers below, with their owners."""
    shared: tuple[Contract, ...]
    """What this stack tells those that join it; empty where `layers` is not typed."""
    nodes: tuple[PlannedNodes, ...] = ()
    """The GPU node groups of a joined infrastructure, as this file describes them."""

    def owns(self, layer: Layer) -> bool:
        """Whether this stack registers the layer."""
        return layer in self.own
