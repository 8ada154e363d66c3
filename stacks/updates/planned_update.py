"""The effects of the next `up` on what runs, worked out before anything is registered."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stacks.plan.platform import OwnPlatform
from stacks.plan.platform_chart import release_values
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.comparable_graph import graph_of
from stacks.updates.deployed import UNKNOWN_CREATOR, Creator, Deployed
from stacks.updates.deployed_nodes import DeployedNodes, resized
from stacks.updates.infrastructure_notices import infrastructure_notices, node_notices, waiting_notice
from stacks.updates.notices import (
    Notice,
    cache_notices,
    graph_notices,
    leftover_notice,
    platform_notice,
    replacement_notice,
)
from stacks.updates.replacement import Replacement, replacement


@dataclass(frozen=True, slots=True)
class Update:
    """Change from what runs to what the stack asks for."""

    notices: tuple[Notice, ...] = ()
    replacement: Replacement | None = None
    resized: frozenset[str] = frozenset()
    """Node groups whose number of nodes is set."""
    creator: Creator = UNKNOWN_CREATOR
    """Who made the cluster."""
    unseen: Mapping[str, DeployedNodes] = field(default_factory=dict[str, DeployedNodes])
    """Node groups of Capacity Blocks of which the account is asked whether they have been filled."""
    restarts_workers: bool = False
    """Whether every worker ends: it restarts, or another graph takes the place of its own, or none does."""

    @property
    def interruption(self) -> str | None:
        """How long requests are not answered, each reason once; None where they are answered all the time."""
        found = dict.fromkeys(notice.interruption for notice in self.notices if notice.interruption)
        return "; ".join(found) or None


FIRST = Update()
"""Nothing runs, or nothing is known of it."""


def planned_update(stack: StackPlan, before: Deployed, seen: tuple[Notice, ...] = ()) -> Update:
    """Return what happens to what the last run left.

    The stack has the rollouts that there is room for (stacks/updates/rollout_beside_running.py); `seen` is
    what the cluster says of it.
    """
    notices = [
        *seen,
        *_platform(stack, before),
        *cache_notices(stack, before),
        *infrastructure_notices(stack),
    ]
    plan, sized, how, restarts = stack.infrastructure, frozenset[str](), None, False
    if plan:
        notices += node_notices(plan, before.node_groups)
        sized = resized(plan, before.node_groups)
    if waited_for(stack):
        notices.append(waiting_notice(stack, before.graphs))
        restarts = bool(before.graphs)
    elif running := before.graph_before(wanted := graph_of(stack)):
        how = replacement(stack, running, wanted)
        restarts = how is not None or not running.makes_same_workers(wanted)
        if how is None:
            notices += graph_notices(stack, running, wanted)
            notices += (leftover_notice(graph) for graph in before.graphs if graph is not running)
        else:
            notices.append(replacement_notice(stack, running, wanted, how))
    return Update(tuple(notices), how, sized, before.creator, restarts_workers=restarts)


def _platform(stack: StackPlan, before: Deployed) -> list[Notice]:
    if not isinstance(stack.platform, OwnPlatform):
        return []
    values = release_values(stack.platform)
    return list(platform_notice(before.release, stack.platform.version, values))
