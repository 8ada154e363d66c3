"""When `up` sets how many nodes a group has, and when it leaves them as they are.

The number changes without `up`: a scheduled action fills a group when its window opens, EKS empties it before
its block ends, a person on call changes it. So it is set only where the settings that it comes from have
changed; the rest of the time it is ignored.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stacks.infrastructure.plan import CapacityBlock, EksPlan, PlannedNodes, Purchase, Reservation
from stacks.updates.nested import mapping_in

SYSTEM = "system-nodes"


def logical_name(nodes: PlannedNodes) -> str:
    """Return what the program calls the node group of a pool."""
    return f"{nodes.pool}-nodes"


@dataclass(frozen=True, slots=True)
class DeployedNodes:
    """A node group as the last run left it."""

    nodes: int
    """What the settings asked for then."""
    reservation: str | None
    waited: bool
    """Whether a scheduled action was to fill it."""


def deployed_nodes(group: Mapping[str, Any], template: Mapping[str, Any], *, waited: bool) -> DeployedNodes:
    """Return what the outputs of a node group and of its launch template say.

    Args:
        group: outputs of the node group.
        template: outputs of its launch template; empty where there is none.
        waited: whether the state has the scheduled action that fills it.

    """
    target = mapping_in(template, "capacityReservationSpecification", "capacityReservationTarget")
    reservation = target.get("capacityReservationId")
    return DeployedNodes(
        int(mapping_in(group, "scalingConfig").get("maxSize") or 0),
        str(reservation) if reservation else None,
        waited,
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
    if _reservation(nodes.purchase) != before.reservation:
        return True
    if isinstance(nodes.purchase, CapacityBlock) and nodes.purchase.phase == "waiting":
        # The window may have opened meanwhile: setting 0 nodes would end those that run.
        return False
    return before.waited or before.nodes != nodes.nodes


def _reservation(purchase: Purchase) -> str | None:
    return purchase.id if isinstance(purchase, CapacityBlock | Reservation) else None
