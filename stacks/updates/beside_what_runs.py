"""What has room beside the workers that run: a rollout that starts new ones first, and another graph."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

from recipes.placed import PlacedService, Rollout
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.placement.packing import WorkerSet, has_room_wherever_placed, surges
from stacks.plan.placement.pools import may_share_nodes, occupied_gpus
from stacks.plan.placement.rollout import described
from stacks.plan.stack_plan import StackPlan
from stacks.updates.comparable_graph import Graph, graph_of
from stacks.updates.running import Running
from stacks.wording import in_words


def occupying_set(worker: PlacedService) -> WorkerSet:
    """Return the pods of a new worker with the GPUs that they occupy."""
    gpus = worker.gpus
    if worker.placement is not None:
        gpus = occupied_gpus(gpus, worker.resources, worker.placement.instance_type)
    return WorkerSet(worker.name, gpus, worker.replicas)


def _workers_beside(placed: PlacedPool, running: Graph) -> list[WorkerSet]:
    """Return the running workers that may be on the pool's nodes, also those of a pool of another name."""
    return [
        WorkerSet(each.name, each.gpus, each.replicas)
        for each in running.workers
        if may_share_nodes(each.node_selector, placed.pool.node_selector)
    ]


def _holds_both(stack: StackPlan, placed: PlacedPool, running: Graph) -> bool:
    """Whether all new workers find their GPUs beside all old ones, wherever the scheduler put those."""
    there = _workers_beside(placed, running)
    for worker in sorted(stack.workers_in(placed), key=lambda worker: -worker.gpus):
        # If there is room for the last of them, there was for the others.
        wanted = occupying_set(worker)
        if not has_room_wherever_placed(replace(wanted, count=wanted.count - 1), there, placed.room):
            return False
        there.append(wanted)
    return True


@dataclass(frozen=True, slots=True)
class Replacement:
    """The graph that runs becomes another one."""

    old_first: bool
    """Delete the old graph before the new one is created. Else both exist until the new one is ready."""
    reason: str
    in_place: bool = False
    """Both have the same name: the engine would change the graph, and the API server would refuse."""
    old_urn: str | None = None
    """The graph that goes first, under another name: to the engine the new one is another resource."""


def replacement(stack: StackPlan, running: Graph, wanted: Graph) -> Replacement | None:
    """Return how the graph that runs is replaced; None where it is changed or stays.

    The operator's webhook refuses a graph whose services are no longer the same ones
    (deploy/operator/internal/webhook/validation in ai-dynamo/dynamo), in the middle of `up`. The API server
    refuses to apply another API version: what is left of the fields that were applied before has no metadata
    when its conversion is asked for (addBackOwnedItems in kubernetes-sigs/structured-merge-diff
    merge/update.go; "missing metadata in converted object", seen with the operator of the 1.2 line).
    """
    if running.has_place_of(wanted):
        if running.api != wanted.api:
            reason = f"it cannot be changed from {running.api} to {wanted.api}"
            return Replacement(old_first=True, reason=reason, in_place=True)
        if running.services.keys() != wanted.services.keys():
            return Replacement(old_first=True, reason="both have this name", in_place=True)
        return None
    # Of a v1alpha1 graph nobody has read what room it takes.
    full = [
        placed
        for placed in stack.used_pools
        if running.api == "v1alpha1" or not _holds_both(stack, placed, running)
    ]
    if full:
        pools = " and ".join(f"pool {placed.pool.name}" for placed in full)
        verb = "does" if len(full) == 1 else "do"
        reason = f"{pools} {verb} not hold the workers of both"
        return Replacement(old_first=True, reason=reason, old_urn=running.urn)
    return Replacement(old_first=False, reason="the pools hold the workers of both")


def beside_what_runs(stack: StackPlan, before: Running) -> tuple[StackPlan, Graph]:
    """Return the stack with rollouts for which there is room beside the workers that run, and its graph.

    A strategy is worked out for workers that stay as large and where they are. One update can make them
    smaller, move them or give them another KV transport, and then the room that the old ones take counts.
    What is decided then stays until workers change again. With the strategy that a stack has from its
    settings alone the next `up` would change the graph for nothing, and in v1beta1, where the strategy stands
    on the pod template, restart every worker.
    """
    wanted = graph_of(stack)
    running = before.graph_in_place_of(wanted)
    if running is None or replacement(stack, running, wanted):
        return stack, wanted
    workers = stack.serving.placed.workers
    alone = {worker.name: worker.placement.rollout for worker in workers if worker.placement}
    if running.differs_in_rollout_at_most(wanted):
        deployed = {name: running.services[name].strategy or each.strategy for name, each in alone.items()}
        rollouts = {name: replace(each, strategy=deployed[name]) for name, each in alone.items()}
        return _with_rollouts(stack, rollouts)
    surging = {name: each.reason for name, each in alone.items() if each.strategy == "RollingUpdate"}
    without_room = _without_room(stack, running, wanted, surging.keys())
    if not without_room:
        return stack, wanted
    waiting = without_room | {name: each.reason for name, each in alone.items() if name not in surging}
    surging = {name: reason for name, reason in surging.items() if name not in waiting}
    return _with_rollouts(stack, described(surging, waiting, stack.serving.load.words))


def _without_room(stack: StackPlan, running: Graph, wanted: Graph, surging: Set[str]) -> dict[str, str]:
    """Return the workers that would surge and cannot beside those that run, each with the reason."""
    if any(each.neighbours != running.services[each.name].neighbours for each in wanted.workers):
        reason = "with this KV transport workers of before the change leave no place to count on"
        return dict.fromkeys(sorted(surging), reason)
    beside = "free on one node beside the workers of before the change"
    return {
        name: f"pool {placed.pool.name} has no {in_words(gpus, 'GPU')} {beside}"
        for placed in stack.used_pools
        for name, gpus in _crowded_out(stack, placed, running, surging)
    }


def _crowded_out(
    stack: StackPlan, placed: PlacedPool, running: Graph, surging: Set[str]
) -> Iterator[tuple[str, int]]:
    new = {worker.name: worker for worker in stack.workers_in(placed)}
    # Workers of another pool that come or go stay until their successors serve.
    sets = {some.name: some for some in _workers_beside(placed, running)}
    for name, worker in new.items():
        some = occupying_set(worker)
        sets[name] = replace(some, gpus=max(some.gpus, sets[name].gpus)) if name in sets else some
    for some, _, fits in surges(sets.values(), placed.room, surging & new.keys()):
        if not fits:
            yield some.name, new[some.name].gpus


def _with_rollouts(stack: StackPlan, rollouts: Mapping[str, Rollout]) -> tuple[StackPlan, Graph]:
    placed = stack.serving.placed
    services = tuple(
        replace(service, placement=replace(service.placement, rollout=rollouts[service.name]))
        if service.placement
        else service
        for service in placed.services
    )
    rolled = replace(stack, serving=replace(stack.serving, placed=replace(placed, services=services)))
    return rolled, graph_of(rolled)
