"""Node groups that exist: what a run changes of their nodes, and when it sets how many there are.

The number changes without `up`: a scheduled action fills a group when its window opens, EKS empties it before
its block ends, a person on call changes it. So it is set only where the settings that it comes from have
changed; the rest of the time it is ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.infrastructure.node_template import capacity_type, gpu_template, system_template
from stacks.settings.cluster import AdoptedNetworkSettings, CapacityBlock, reservation_id
from stacks.updates.nested_values import mapping_in

SYSTEM = "system-nodes"
EMPTIED_TAG = "emptied-by-purchase-phase"
"""On a group without a node by its settings. EKS empties one too, at a block's end, and is not undone."""


@dataclass(frozen=True, slots=True)
class DeployedNodes:
    """A node group as the last run left it."""

    group: Mapping[str, Any]
    """Its inputs."""
    template: Mapping[str, Any]
    """Inputs of the launch template, of which its nodes are made."""
    zone: str | None
    """Zone of its nodes; None where nobody says."""
    waited: bool
    """Whether a scheduled action was to fill it."""
    running: int
    """Nodes that it had then, or at the last refresh."""

    @property
    def nodes(self) -> int:
        """The number that the settings asked for then."""
        return int(mapping_in(self.group, "scalingConfig").get("maxSize") or 0)

    @property
    def reservation(self) -> str | None:
        """Id of the capacity reservation that its nodes were launched from."""
        target = mapping_in(self.template, "capacityReservationSpecification", "capacityReservationTarget")
        return target.get("capacityReservationId") or None

    @property
    def in_a_block(self) -> bool:
        """Whether its nodes are of a Capacity Block, of which none is to spare."""
        return mapping_in(self.template, "instanceMarketOptions").get("marketType") == "capacity-block"


@dataclass(frozen=True, slots=True)
class NodeChange:
    """A pool whose nodes would be others."""

    nodes: PlannedNodes
    before: DeployedNodes
    moved: str
    """Another place of its nodes, in words; empty: the same."""
    text: str
    """All changes in words."""

    @property
    def replaces_group(self) -> bool:
        """Whether the whole node group goes before the new one comes.

        Subnet, image type and capacity type of a group never change (pulumi-aws, aws.eks.NodeGroup).
        """
        wanted = {"amiType": self.nodes.ami_type, "capacityType": capacity_type(self.nodes.purchase)}
        was = self.before.group
        return bool(self.moved) or any(was.get(key) not in {None, now} for key, now in wanted.items())

    @property
    def running(self) -> int:
        """How many nodes may run: those of the last run, or those that the window has brought meanwhile."""
        purchase = self.nodes.purchase
        opened = isinstance(purchase, CapacityBlock) and purchase.phase == "active" and self.before.waited
        return self.before.nodes if opened else self.before.running


def logical_name(nodes: PlannedNodes) -> str:
    """Return what the program calls the node group of a pool."""
    return f"{nodes.pool.name}-nodes"


def resized(plan: EksPlan, before: Mapping[str, DeployedNodes]) -> frozenset[str]:
    """Return the node groups whose number of nodes this run sets, by their names in the program."""
    sized = {
        logical_name(nodes)
        for nodes in plan.gpu_nodes
        if (group := before.get(logical_name(nodes))) and _sets_size(nodes, group)
    }
    system = before.get(SYSTEM)
    if system is not None and system.nodes != plan.cluster.system_nodes.nodes:
        sized.add(SYSTEM)
    return frozenset(sized)


def node_changes(plan: EksPlan, before: Mapping[str, DeployedNodes]) -> tuple[NodeChange, ...]:
    """Return the pools whose nodes would be others than those of the last run."""
    changes: list[NodeChange] = []
    for nodes in plan.gpu_nodes:
        if group := before.get(logical_name(nodes)):
            is_other = _is_other(gpu_template(plan.cluster, nodes), group) or _is_placed_otherwise(
                nodes, group
            )
            moved = _moved(plan, nodes, group)
            if text := _in_words(group, plan.cluster.version, nodes.ami_release, moved, is_other=is_other):
                changes.append(NodeChange(nodes, group, moved, text))
    return tuple(changes)


def system_change(plan: EksPlan, before: DeployedNodes) -> str:
    """Return in words what changes of the nodes for everything without GPUs; empty: nothing."""
    wanted = plan.cluster
    is_other = _is_other(system_template(wanted), before)
    return _in_words(before, wanted.version, wanted.system_nodes.ami_release, is_other=is_other)


def _is_other(wanted: Mapping[str, Any], before: DeployedNodes) -> bool:
    """Whether nodes are made of something else."""
    return bool(before.template) and _differs(wanted, before.template)


def _is_placed_otherwise(nodes: PlannedNodes, before: DeployedNodes) -> bool:
    has_group = bool(mapping_in(before.template, "placement").get("groupName"))
    # A reservation brings a placement group of its own, and another one with another id.
    return bool(before.template) and not reservation_id(nodes.purchase) and nodes.placed_together != has_group


def _moved(plan: EksPlan, nodes: PlannedNodes, before: DeployedNodes) -> str:
    if before.zone is not None:
        zone = nodes.zone
        return f"zone {before.zone} -> {zone}" if zone != before.zone else ""
    was = next(iter(before.group.get("subnetIds") or ()), None)
    network = plan.cluster.network
    if isinstance(network, AdoptedNetworkSettings) and was is not None:
        subnet = network.subnets.get(nodes.zone)
        return f"subnet {was} -> {subnet}" if subnet != was else ""
    return ""


def _in_words(
    before: DeployedNodes, version: str, release: str | None, moved: str = "", *, is_other: bool
) -> str:
    texts = [moved] if moved else []
    for what, key, now in (("Kubernetes", "version", version), ("image", "releaseVersion", release)):
        was = before.group.get(key)
        if was and now and was != now:
            texts.append(f"{what} {was} -> {now}")
    if is_other:
        texts.append("what nodes are made of")
    return ", ".join(texts)


def _sets_size(nodes: PlannedNodes, before: DeployedNodes) -> bool:
    if reservation_id(nodes.purchase) != before.reservation:
        return True
    if nodes.phase == "waiting":
        # The window may have opened meanwhile: setting 0 nodes would end those that run.
        return False
    was_emptied = EMPTIED_TAG in mapping_in(before.group, "tags")
    return nodes.phase == "empty" or was_emptied or before.waited or before.nodes != nodes.pool.nodes


def _differs(wanted: object, found: object) -> bool:
    """Whether what is wanted is not there; what AWS has added beside it is no difference."""
    if wanted is None:
        return bool(found)
    if isinstance(wanted, Mapping):
        there = mapping_in(found)
        items = cast("Mapping[str, object]", wanted).items()
        return any(_differs(value, there.get(_camel_case(key))) for key, value in items)
    if isinstance(wanted, list):
        items, others = cast("Sequence[object]", wanted), cast("Sequence[object]", found or [])
        return len(items) != len(others) or any(map(_differs, items, others))
    # The engine has no whole numbers.
    number = int(found) if isinstance(found, float) and found.is_integer() else found
    return str(wanted) != str(number)


def _camel_case(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)
