"""When `up` sets how many nodes a group has, and when it leaves them as they are.

The number changes without `up`: a scheduled action fills a group when its window opens, EKS empties it before
its block ends, a person on call changes it. So it is set only where the settings that it comes from have
changed; the rest of the time it is ignored.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from components.purchase import reservation_id
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.updates.nested import mapping_in

SYSTEM = "system-nodes"
EMPTIED_TAG = "emptied-by-purchase-phase"
"""On a group without a node by its settings. EKS empties one too, at a block's end, and is not undone."""


def logical_name(nodes: PlannedNodes) -> str:
    """Return what the program calls the node group of a pool."""
    return f"{nodes.pool.name}-nodes"


@dataclass(frozen=True, slots=True)
class DeployedNodes:
    """A node group as the last run left it."""

    nodes: int
    """What the settings asked for then."""
    reservation: str | None
    waited: bool
    """Whether a scheduled action was to fill it."""
    running: int = 0
    """Nodes that it had then, or at the last refresh."""
    version: str | None = None
    """Of Kubernetes."""
    template: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What its nodes are made of: the launch template's outputs."""
    emptied: bool = False
    """Whether the settings wanted no node."""

    @property
    def in_a_block(self) -> bool:
        """Whether its nodes are of a Capacity Block, of which none is to spare."""
        return mapping_in(self.template, "instanceMarketOptions").get("marketType") == "capacity-block"


def deployed_nodes(group: Mapping[str, Any], template: Mapping[str, Any], *, waited: bool) -> DeployedNodes:
    """Return what the outputs of a node group and of its launch template say.

    Args:
        group: outputs of the node group.
        template: outputs of its launch template; empty where there is none.
        waited: whether the state has the scheduled action that fills it.

    """
    target = mapping_in(template, "capacityReservationSpecification", "capacityReservationTarget")
    reservation = target.get("capacityReservationId")
    sizes, version = mapping_in(group, "scalingConfig"), group.get("version")
    return DeployedNodes(
        int(sizes.get("maxSize") or 0),
        str(reservation) if reservation else None,
        waited,
        running=int(sizes.get("desiredSize") or 0),
        version=str(version) if version else None,
        template=template,
        emptied=EMPTIED_TAG in mapping_in(group, "tags"),
    )


def resized(plan: EksPlan, before: Mapping[str, DeployedNodes]) -> frozenset[str]:
    """Return the node groups whose number of nodes this run sets, by their names in the program."""
    return frozenset(_resized(plan, before))


def _resized(plan: EksPlan, before: Mapping[str, DeployedNodes]) -> Iterator[str]:
    system = before.get(SYSTEM)
    if system is not None and system.nodes != plan.system_nodes.nodes:
        yield SYSTEM
    for nodes in plan.gpu_nodes:
        found = before.get(logical_name(nodes))
        if found is not None and _sets_size(nodes, found):
            yield logical_name(nodes)


def _sets_size(nodes: PlannedNodes, before: DeployedNodes) -> bool:
    if reservation_id(nodes.purchase) != before.reservation:
        return True
    if nodes.phase == "waiting":
        # The window may have opened meanwhile: setting 0 nodes would end those that run.
        return False
    return nodes.phase == "empty" or before.emptied or before.waited or before.nodes != nodes.pool.nodes
