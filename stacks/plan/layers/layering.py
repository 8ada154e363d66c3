"""Which layers a stack registers, which it shares with other stacks, and which of them one stack may own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stacks.errors import NOTHING_DONE, Problem, unknown_name
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.layers.contract import (
    VERSION,
    VERSION_KEY,
    Contract,
    exported,
    infrastructure_contract,
    platform_contract,
    pool_key,
    pools_in,
)
from stacks.plan.platform.platform_plan import PlatformPlan
from stacks.settings.stack import Layer, StackSettings
from stacks.wording import alternatives


@dataclass(frozen=True, slots=True)
class Layering:
    """Which layers of its file a stack registers, and which stacks have the others."""

    own: tuple[Layer, ...]
    """Layers that the stack owns, the lowest first."""
    joined: Mapping[Layer, str]
    """The layers below, each with the stack of the same project that owns it."""
    shared: tuple[Layer, ...]
    """Layers that other stacks may join; none where the settings name no `layers`."""
    contracts: Mapping[Layer, Contract]
    """What this stack's file says of a layer, its own or a joined one, whose owner has to say the same."""

    def owns(self, layer: Layer) -> bool:
        """Whether this stack registers the layer."""
        return layer in self.own


def layering(settings: StackSettings, eks: EksPlan | None, platform: PlatformPlan | None) -> Layering:
    """Return the layers; the settings have no `layer_problems`.

    Args:
        settings: of the stack.
        eks: the plan of the cluster, this stack's own or another's.
        platform: that the file describes, this stack's own or another's.

    """
    own, owners = owned_layers(settings), _owners(settings)
    contracts: dict[Layer, Contract] = {}
    if eks is not None:
        contracts["infrastructure"] = infrastructure_contract(eks)
    if platform is not None and platform.kind == "own":
        contracts["platform"] = platform_contract(platform, settings.cluster)
    return Layering(
        own=own,
        joined={layer: owner for layer in _needed_below(settings) if (owner := owners[layer]) is not None},
        shared=tuple(layer for layer in contracts if settings.layers and layer in own),
        contracts=contracts,
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


def layer_problems(name: str, settings: StackSettings) -> Iterator[Problem]:
    """Yield why the layers cannot be divided like this; `name` is of this stack, which cannot join itself."""
    there, own = layers_there_are(settings), owned_layers(settings)
    listed = settings.layers or there
    shown = _listed(listed)
    for layer in dict.fromkeys(listed):
        if layer not in there:
            message = f"others have the {layer}, or there is none"
            yield Problem("layers", shown, message, allowed=_listed(there))
    if len(own) > 1 and there.index(own[-1]) - there.index(own[0]) >= len(own):
        message = (
            "a stack cannot own what is below and above a layer of another stack: neither could go first"
        )
        choices = alternatives([_listed(own[:1]), _listed(there), _listed(own[-1:])])
        yield Problem("layers", shown, message, allowed=choices)
    needed = _needed_below(settings)
    for layer, owner in _owners(settings).items():
        key = f"layerStacks.{layer}"
        if owner is None and layer in needed:
            message = f"is missing: which stack of this project owns the {layer}?"
            suggestion = f"{layer} in layers, where this stack owns it"
            yield Problem(key, None, message, allowed="a stack's name", suggestion=suggestion)
        elif owner is not None and layer not in needed:
            message = f"this stack stands on no {layer} of another stack: it owns the layer, or needs none"
            yield Problem(key, owner, message, suggestion="leave it out")
        elif owner == name:
            suggestion = f"add {layer} to layers, or name its owner"
            yield Problem(key, owner, "is this stack itself", suggestion=suggestion)


def _needed_below(settings: StackSettings) -> tuple[Layer, ...]:
    own, there = owned_layers(settings), layers_there_are(settings)
    return there[: there.index(own[0])] if own else ()


def _owners(settings: StackSettings) -> dict[Layer, str | None]:
    return {
        "infrastructure": settings.layer_stacks.infrastructure,
        "platform": settings.layer_stacks.platform,
    }


def _listed(layers: Sequence[str]) -> str:
    return f"[{', '.join(layers)}]"


Outputs = Mapping[str, object]


def owner_problems(layers: Layering, read_outputs: Callable[[str], Outputs | None]) -> tuple[Problem, ...]:
    """Return why this stack cannot stand on the layers of others; nothing where it can.

    Args:
        layers: what this stack joins.
        read_outputs: from a stack's name to its outputs, empty before its first `up`; None where there is no
            such stack.

    """
    return tuple(
        problem
        for layer, owner in layers.joined.items()
        for problem in _problems(layer, owner, layers.contracts[layer], read_outputs(owner))
    )


def _problems(layer: Layer, owner: str, mine: Contract, outputs: Outputs | None) -> Iterator[Problem]:
    key = f"layerStacks.{layer}"
    if outputs is None:
        message = f"this project has no stack of that name in this backend; {NOTHING_DONE}"
        suggestion = f"`pulumi stack ls` shows those there are; `pulumi up --stack {owner}` makes this one"
        yield Problem(key, owner, message, suggestion=suggestion)
        return
    if not outputs:
        message = f"nothing of that stack is up, or its first `up` did not end; {NOTHING_DONE}"
        yield Problem(key, owner, message, suggestion=f"`pulumi up --stack {owner}`, then this one")
        return
    if layer not in outputs:
        yield _without_the_layer(key, owner, layer, outputs)
        return
    theirs = exported(outputs[layer])
    version = theirs.get(VERSION_KEY)
    if version != VERSION:
        message = f"its contract has version {version}, and this project reads {VERSION}; {NOTHING_DONE}"
        suggestion = f"`pulumi up --stack {owner}` with this version of the project, then this one"
        yield Problem(key, owner, message, suggestion=suggestion)
        return
    yield from _differences(layer, owner, mine, theirs)


def _without_the_layer(key: str, owner: str, layer: Layer, outputs: Outputs) -> Problem:
    shared = [name for name in FROM_BELOW if name in outputs]
    message = f"that stack shares no {layer}; it shares {' and '.join(shared) or 'nothing'}; {NOTHING_DONE}"
    suggestion = (
        f"the stack that owns the {layer}; or, where {owner} does, layers: […] with {layer} in "
        f"Pulumi.{owner}.yaml, then `pulumi up --stack {owner}`"
    )
    return Problem(key, owner, message, suggestion=suggestion)


def _differences(layer: Layer, owner: str, mine: Contract, theirs: Mapping[str, object]) -> Iterator[Problem]:
    there = pools_in(theirs)
    absent = [pool for pool in pools_in(mine) if pool not in there]
    for pool in absent:
        message = f"stack {owner}, which makes the nodes, has no pool of that name; {NOTHING_DONE}"
        yield unknown_name("nodePools", pool, message, there)
    for setting, value in mine.items():
        other = theirs.get(setting)
        if other == value or setting.startswith(tuple(pool_key(pool, "") for pool in absent)):
            continue
        has, suggestion = "none", f"as in Pulumi.{owner}.yaml"
        if other not in {None, ""}:
            has = str(other)
            suggestion = (
                f"{setting}: {other}, or change Pulumi.{owner}.yaml and `pulumi up --stack {owner}` first"
            )
        message = f"stack {owner}, which owns the {layer}, has {has}; {NOTHING_DONE}"
        yield Problem(setting, None if value == "" else value, message, suggestion=suggestion)
