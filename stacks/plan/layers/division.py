"""What is left of a stack's description once the layers of other stacks are taken out."""

from dataclasses import dataclass

from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.layers.contract import infrastructure_contract, platform_contract
from stacks.plan.layers.layering import Contract, JoinedLayer, Layering
from stacks.plan.layers.owned import joined_layers, owned_layers
from stacks.plan.retention import retained_objects
from stacks.plan.stack_plan import (
    ClusterPlan,
    ExistingPlatform,
    Lifecycle,
    PlatformPlan,
    ResolvedCache,
    RetainedObject,
    ServingPlan,
)
from stacks.settings.layers import Layer
from stacks.settings.stack import StackSettings


@dataclass(frozen=True, slots=True)
class Described:
    """What a file describes, whoever registers it."""

    cluster: ClusterPlan
    infrastructure: EksPlan | None
    platform: PlatformPlan
    cache: ResolvedCache


@dataclass(frozen=True, slots=True)
class OwnPart:
    """The same, where what other stacks own looks like what exists."""

    layers: Layering
    infrastructure: EksPlan | None
    platform: PlatformPlan


def own_part(described: Described, settings: StackSettings) -> OwnPart:
    """Return what this stack registers; the settings have no `layer_problems`."""
    own = owned_layers(settings)
    contracts = _contracts(described)
    layers = Layering(
        own=own,
        joined={
            layer: JoinedLayer(stack, contracts[layer]) for layer, stack in joined_layers(settings).items()
        },
        shared=tuple(contract for layer, contract in contracts.items() if settings.layers and layer in own),
        nodes=_joined_nodes(described, own),
    )
    return OwnPart(
        layers=layers,
        infrastructure=described.infrastructure if layers.owns("infrastructure") else None,
        platform=described.platform if layers.owns("platform") else _as_existing(described.platform),
    )


def retained_of(
    own: OwnPart, described: Described, lifecycle: Lifecycle, serving: ServingPlan
) -> tuple[RetainedObject, ...]:
    """Return what `destroy` leaves of this stack's own layers."""
    # A cluster that this project makes goes as a whole; what stayed on it would only hold it.
    goes_later = described.infrastructure is not None and own.infrastructure is None
    kept = retained_objects(
        "disposable" if goes_later else lifecycle,
        own.platform,
        serving,
        described.cache,
        own.infrastructure,
    )
    if own.layers.owns("serving"):
        return kept
    of_serving = {
        (item.kind, item.name, item.namespace) for item in kept if item.namespace == serving.namespace
    }
    of_serving.add(("Namespace", serving.namespace, None))
    return tuple(item for item in kept if (item.kind, item.name, item.namespace) not in of_serving)


def _contracts(described: Described) -> dict[Layer, Contract]:
    found: dict[Layer, Contract] = {}
    if described.infrastructure is not None:
        found["infrastructure"] = infrastructure_contract(described.infrastructure)
    if described.platform.kind == "own":
        found["platform"] = platform_contract(described.platform, described.cluster)
    return found


def _joined_nodes(described: Described, own: tuple[Layer, ...]) -> tuple[PlannedNodes, ...]:
    plan = described.infrastructure
    return plan.gpu_nodes if plan is not None and "infrastructure" not in own else ()


def _as_existing(platform: PlatformPlan) -> ExistingPlatform:
    return ExistingPlatform(
        platform.version, platform.namespace, platform.namespace_exists, platform.graph_api
    )
