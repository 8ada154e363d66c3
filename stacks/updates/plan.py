"""What the next `up` does to what runs, worked out before anything is registered."""

from dataclasses import dataclass

from components.platform_release import release_values
from stacks.plan.platform import ExistingPlatform
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.by_hand import HandSet, forced_notices, with_wanted
from stacks.updates.creator import UNKNOWN_CREATOR, Creator
from stacks.updates.deployed import Deployed
from stacks.updates.graph import graph_of
from stacks.updates.infrastructure_notices import infrastructure_notices, waiting_notice
from stacks.updates.node_changes import node_notices
from stacks.updates.node_groups import resized
from stacks.updates.notices import (
    Notice,
    graph_notices,
    leftover_notice,
    other_notices,
    platform_notice,
    replacement_notice,
)
from stacks.updates.replacement import Replacement, replacement


@dataclass(frozen=True, slots=True)
class Update:
    """From what runs to what the stack asks for."""

    notices: tuple[Notice, ...] = ()
    replacement: Replacement | None = None
    resized: frozenset[str] = frozenset()
    """Node groups whose number of nodes is set."""
    creator: Creator = UNKNOWN_CREATOR
    """Of the cluster."""


FIRST = Update()
"""Nothing runs, or nothing is known of it."""


def planned_update(
    stack: StackPlan,
    before: Deployed,
    others: tuple[HandSet, ...] = (),
    seen: tuple[Notice, ...] = (),
) -> Update:
    """Return what happens to what the last run left.

    Args:
        stack: with the rollouts that there is room for (stacks/updates/rollout.py).
        before: what exists.
        others: replicas that somebody else has set.
        seen: what the cluster says of it.

    """
    notices = [
        *seen,
        *_platform(stack, before),
        *other_notices(stack, before),
        *infrastructure_notices(stack),
    ]
    plan = stack.infrastructure
    notices += node_notices(plan, before.node_groups) if plan else ()
    sized = resized(plan, before.node_groups) if plan else frozenset[str]()
    if waited_for(stack):
        notices.append(waiting_notice(stack, before.graphs))
        return Update(tuple(notices), resized=sized, creator=before.creator)
    wanted = graph_of(stack)
    running = before.graph_before(wanted)
    if running is None:
        return Update(tuple(notices), resized=sized, creator=before.creator)
    how = replacement(stack, running, wanted)
    if how is None:
        notices += forced_notices(others)
        notices += graph_notices(stack, with_wanted(running, others), wanted)
        notices += (leftover_notice(graph) for graph in before.graphs if graph is not running)
    else:
        notices.append(replacement_notice(stack, running, wanted, how))
    return Update(tuple(notices), how, sized, before.creator)


def _platform(stack: StackPlan, before: Deployed) -> list[Notice]:
    if isinstance(stack.platform, ExistingPlatform):
        return []
    release = stack.platform.release
    return list(platform_notice(before.release, release.version, release_values(release)))
