"""What a run changes of nodes that exist: EKS exchanges them for others, with whatever runs on them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from components.node_template import template_content
from components.purchase import CapacityBlock
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.infrastructure.nodes import gpu_template
from stacks.updates.nested import mapping_in
from stacks.updates.node_groups import SYSTEM, DeployedNodes, logical_name
from stacks.updates.notices import Notice
from stacks.wording import in_words

_WORDS = {
    "instance_type": "instance type",
    "network_interfaces": "network interfaces",
    "block_device_mappings": "root disk",
    "metadata_options": "metadata options",
    "instance_market_options": "purchase",
    "capacity_reservation_specification": "purchase",
    "user_data": "what nodes do at their start",
    "tag_specifications": "tags",
}


@dataclass(frozen=True, slots=True)
class NodeChange:
    """A pool whose nodes would be others."""

    nodes: PlannedNodes
    before: DeployedNodes
    version: str
    """Of Kubernetes, wanted."""
    changed: tuple[str, ...]
    """Parts of the launch template, in words."""

    @property
    def new_version(self) -> bool:
        """Whether Kubernetes changes."""
        return self.before.version not in {None, self.version}

    @property
    def running(self) -> int:
        """How many nodes may run: those of the last run, or those that the window has brought meanwhile."""
        purchase = self.nodes.purchase
        opened = isinstance(purchase, CapacityBlock) and purchase.phase == "active" and self.before.waited
        return self.before.nodes if opened else self.before.running

    @property
    def text(self) -> str:
        """What changes."""
        version = [f"Kubernetes {self.before.version} -> {self.version}"] if self.new_version else []
        return ", ".join([*version, *self.changed])


def node_changes(plan: EksPlan, before: Mapping[str, DeployedNodes]) -> tuple[NodeChange, ...]:
    """Return the pools whose nodes would be others.

    Args:
        plan: what is wanted.
        before: the node groups of the last run, by their names in the program.

    """
    found: list[NodeChange] = []
    for nodes in plan.gpu_nodes:
        group = before.get(logical_name(nodes))
        if group is None:
            continue
        wanted = template_content(gpu_template(nodes))
        change = NodeChange(nodes, group, plan.version, _changed(wanted, group.template))
        if change.text:
            found.append(change)
    return tuple(found)


def node_notices(plan: EksPlan, before: Mapping[str, DeployedNodes]) -> Iterator[Notice]:
    """Say which nodes are exchanged, and in which order."""
    system = before.get(SYSTEM)
    if system is not None and system.version not in {None, plan.version}:
        text = f"system nodes: Kubernetes {system.version} -> {plan.version}"
        yield Notice(f"{text}: exchanged one by one, each new one before an old one", warns=False)
    for change in node_changes(plan, before):
        text = f"pool {change.nodes.pool.name}: {change.text}"
        if not change.running:
            yield Notice(f"{text}: it has no node, and the next ones are made so", warns=False)
            continue
        number = in_words(change.running, "node")
        lines = [
            f"{text}: {number} exchanged one by one, each old one first",
            "interruption: the workers of a node end with it, and load the model again on the next",
        ]
        yield Notice("\n  ".join(lines), warns=True)


def _changed(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[str, ...]:
    if not found:
        return ()
    keys = (key for key, value in wanted.items() if _differs(value, found.get(_camel(key))))
    return tuple(dict.fromkeys(_WORDS.get(key, key.replace("_", " ")) for key in keys))


def _differs(wanted: object, found: object) -> bool:
    """Whether what is wanted is not there; what AWS has added beside it is no difference."""
    if wanted is None:
        return bool(found)
    if isinstance(wanted, Mapping):
        there = mapping_in(found)
        items = cast("Mapping[str, object]", wanted).items()
        return any(_differs(value, there.get(_camel(key))) for key, value in items)
    if isinstance(wanted, list):
        items, others = cast("Sequence[object]", wanted), cast("Sequence[object]", found or [])
        return len(items) != len(others) or any(map(_differs, items, others))
    # The engine has no whole numbers.
    number = int(found) if isinstance(found, float) and found.is_integer() else found
    return str(wanted) != str(number)


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)
