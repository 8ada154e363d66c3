"""When an update needs another graph, and which of the two goes first."""

from dataclasses import dataclass

from stacks.plan.stack_plan import StackPlan
from stacks.updates.graph import Graph
from stacks.updates.rooms import holds_both, shared_pools


@dataclass(frozen=True, slots=True)
class Replacement:
    """The graph that runs becomes another one."""

    old_first: bool
    """Delete the old graph before the new one is created. Else both exist until the new one is ready."""
    reason: str
    in_place: bool = False
    """Both have the same name: the engine would change the graph, and the API server would refuse."""
    old_urn: str | None = None
    """Of the graph that goes first under another name: to the engine the new one is another resource."""


def replacement(stack: StackPlan, running: Graph, wanted: Graph) -> Replacement | None:
    """Return how the graph that runs is replaced; None where it is changed or stays.

    The operator's webhook refuses a graph whose services are no longer the same ones
    (deploy/operator/internal/webhook/validation in ai-dynamo/dynamo), in the middle of `up`. The API server
    refuses to apply another API version: what is left of the fields that were applied before has no metadata
    when its conversion is asked for (addBackOwnedItems in kubernetes-sigs/structured-merge-diff
    merge/update.go; "missing metadata in converted object", seen with the operator of the 1.2 line).
    """
    if running.has_place_of(wanted):
        if running.services.keys() != wanted.services.keys():
            return Replacement(old_first=True, reason="both have this name", in_place=True)
        if running.api == wanted.api:
            return None
        reason = (
            f"it cannot be changed from {running.api} to {wanted.api}; "
            f"platform.graphApi: {running.api} keeps it"
        )
        return Replacement(old_first=True, reason=reason, in_place=True)
    full = [shared for shared in shared_pools(stack, running.workers) if not holds_both(shared)]
    if full:
        pools = " and ".join(map(str, full))
        verb = "does" if len(full) == 1 else "do"
        reason = f"{pools} {verb} not hold the workers of both"
        return Replacement(old_first=True, reason=reason, old_urn=running.urn)
    return Replacement(old_first=False, reason="the pools hold the workers of both")
