"""Which layers a stack registers, which it shares with other stacks, and which of them one stack may own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stacks.errors import Problem
from stacks.plan.infrastructure.cluster import ClusterPlan
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.layers.contract import Contract, infrastructure_contract, platform_contract
from stacks.plan.platform import PlatformPlan
from stacks.settings.stack import Layer, StackSettings
from stacks.wording import alternatives


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
    nodes: tuple[PlannedNodes, ...]
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
    contracts: dict[Layer, Contract] = {}
    if eks is not None:
        contracts["infrastructure"] = infrastructure_contract(eks)
    if platform is not None and platform.kind == "own":
        contracts["platform"] = platform_contract(platform, cluster)
    return Layering(
        own=own,
        joined={
            layer: JoinedLayer(stack, contracts[layer]) for layer, stack in joined_layers(settings).items()
        },
        shared=tuple(contract for layer, contract in contracts.items() if settings.layers and layer in own),
        nodes=eks.gpu_nodes if eks is not None and "infrastructure" not in own else (),
    )


FROM_BELOW: tuple[Layer, ...] = ("infrastructure", "platform", "serving")


def layers_there_are(settings: StackSettings) -> tuple[Layer, ...]:
    """Return the layers that a stack can own; no stack owns a cluster or a platform that exists."""
    platform = settings.platform.kind if settings.platform else None
    made = {"infrastructure": settings.cluster.kind == "eks", "platform": platform == "own", "serving": True}
    return tuple(layer for layer in FROM_BELOW if made[layer])


def owned_layers(settings: StackSettings) -> tuple[Layer, ...]:
    """Return the layers that this stack registers, from below."""
    there = layers_there_are(settings)
    return tuple(layer for layer in there if settings.layers is None or layer in settings.layers)


def joined_layers(settings: StackSettings) -> dict[Layer, str]:
    """Return the layers below this stack's own, each with the stack that owns it."""
    owners = _owners(settings)
    return {layer: owner for layer in _needed_below(settings) if (owner := owners[layer]) is not None}


def layer_problems(name: str, settings: StackSettings) -> tuple[Problem, ...]:
    """Return why the layers cannot be divided like this.

    Args:
        name: of this stack, which cannot join itself.
        settings: of the stack.

    """
    return (*_own_problems(settings), *_owner_problems(name, settings))


def _own_problems(settings: StackSettings) -> Iterator[Problem]:
    there, own = layers_there_are(settings), owned_layers(settings)
    key, listed = "layers", settings.layers or there
    shown = _listed(listed)
    for layer in dict.fromkeys(listed):
        if layer not in there:
            yield Problem(key, shown, _why_absent(layer, settings), allowed=_listed(there))
    if len(own) > 1 and there.index(own[-1]) - there.index(own[0]) >= len(own):
        message = (
            "a stack cannot own what is below and above a layer of another stack: neither could go first"
        )
        choices = alternatives([_listed(own[:1]), _listed(there), _listed(own[-1:])])
        yield Problem(key, shown, message, allowed=choices)


def _owner_problems(name: str, settings: StackSettings) -> Iterator[Problem]:
    needed = _needed_below(settings)
    for layer, owner in _owners(settings).items():
        key = f"layerStacks.{layer}"
        if owner is None and layer in needed:
            message = f"is missing: which stack of this project owns the {layer}?"
            suggestion = f"{layer} in layers, where this stack owns it"
            yield Problem(key, None, message, allowed="a stack's name", suggestion=suggestion)
        if owner is None:
            continue
        if layer not in needed:
            message = f"this stack stands on no {layer} of another stack: it owns the layer, or needs none"
            yield Problem(key, owner, message, suggestion="leave it out")
        elif owner == name:
            message = "is this stack itself"
            yield Problem(key, owner, message, suggestion=f"add {layer} to layers, or name its owner")


def _needed_below(settings: StackSettings) -> tuple[Layer, ...]:
    own, there = owned_layers(settings), layers_there_are(settings)
    return there[: there.index(own[0])] if own else ()


def _owners(settings: StackSettings) -> dict[Layer, str | None]:
    return {
        "infrastructure": settings.layer_stacks.infrastructure,
        "platform": settings.layer_stacks.platform,
    }


def _why_absent(layer: Layer, settings: StackSettings) -> str:
    if settings.platform is None and layer == "platform":
        return "the recipe is served without Dynamo, so there is no platform"
    if layer == "infrastructure":
        return "with cluster.kind existing there is no infrastructure to own"
    return "with platform.kind existing somebody outside this project runs the platform"


def _listed(layers: Sequence[str]) -> str:
    return f"[{', '.join(layers)}]"
