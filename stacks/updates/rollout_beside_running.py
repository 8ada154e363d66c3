"""How workers are rolled by an update, beside those that run before it."""

from collections.abc import Mapping
from dataclasses import replace

from recipes.placed import PlacedService, Rollout
from stacks.plan.placement.packing import has_room_wherever_placed
from stacks.plan.placement.rollout import described
from stacks.plan.stack_plan import StackPlan
from stacks.updates.comparable_graph import Graph, graph_of
from stacks.updates.deployed import Deployed
from stacks.updates.shared_pools import SharedPool, occupying_set, shared_pools, worker_set
from stacks.wording import in_words


def beside_what_runs(stack: StackPlan, before: Deployed) -> StackPlan:
    """Return the stack with rollouts for which there is room beside the workers that run.

    A strategy is worked out for workers that stay as large and where they are. One update can make them
    smaller, move them or give them another KV transport, and then the room that the old ones take counts.
    What is decided then stays until workers change again. With the strategy that a stack has from its
    settings alone the next `up` would change the graph for nothing, and in v1beta1, where the strategy stands
    on the pod template, restart every worker.
    """
    wanted = graph_of(stack)
    running = before.graph_before(wanted)
    if running is None or not running.has_place_of(wanted):
        return stack
    if running.differs_in_rollout_at_most(wanted):
        return _as_deployed(stack, running)
    if running.services.keys() != wanted.services.keys():
        return stack
    alone = _rollouts(stack)
    waiting = _without_room(stack, running, wanted)
    if not waiting:
        return stack
    waiting |= {
        name: rollout.reason
        for name, rollout in alone.items()
        if rollout.strategy == "Recreate" and name not in waiting
    }
    surging = {name: rollout.reason for name, rollout in alone.items() if name not in waiting}
    return _with_rollouts(stack, described(surging, waiting, stack.serving.load.words))


def _without_room(stack: StackPlan, running: Graph, wanted: Graph) -> dict[str, str]:
    """Return the workers that cannot surge beside those that run, each with the reason."""
    surging = {name for name, rollout in _rollouts(stack).items() if rollout.strategy == "RollingUpdate"}
    if any(each.neighbours != running.services[each.name].neighbours for each in wanted.workers):
        reason = "with this KV transport workers of before the change leave no place to count on"
        return dict.fromkeys(sorted(surging), reason)
    beside = "free on one node beside the workers of before the change"
    return {
        name: f"{shared} has no {in_words(gpus, 'GPU')} {beside}"
        for shared in shared_pools(stack, running.workers)
        for name, gpus in _crowded_out(shared, surging)
    }


def _crowded_out(shared: SharedPool, surging: set[str]) -> list[tuple[str, int]]:
    old = {service.name: service.gpus for service in shared.old}
    sets = {
        worker.name: replace(some := occupying_set(worker), gpus=max(some.gpus, old.get(worker.name, 0)))
        for worker in shared.new
    }
    # Workers of another pool that come or go stay until their successors serve.
    sets |= {service.name: worker_set(service) for service in shared.old if service.name not in sets}
    crowded: list[tuple[str, int]] = []
    for worker in sorted(shared.new, key=lambda worker: -worker.gpus):
        if worker.name not in surging:
            continue
        some = sets[worker.name]
        others = [other for name, other in sets.items() if name != worker.name]
        if has_room_wherever_placed(some, others, shared.room):
            sets[worker.name] = replace(some, count=some.count + 1)
        else:
            crowded.append((worker.name, worker.gpus))
    return crowded


def _as_deployed(stack: StackPlan, running: Graph) -> StackPlan:
    rollouts = _rollouts(stack)
    kept = {
        name: replace(rollout, strategy=strategy)
        for name, rollout in rollouts.items()
        if (strategy := running.services[name].strategy)
    }
    return _with_rollouts(stack, rollouts | kept)


def _rollouts(stack: StackPlan) -> dict[str, Rollout]:
    workers = stack.serving.placed.workers
    return {worker.name: worker.placement.rollout for worker in workers if worker.placement is not None}


def _with_rollouts(stack: StackPlan, rollouts: Mapping[str, Rollout]) -> StackPlan:
    serving = stack.serving
    services = tuple(_with_rollout(service, rollouts) for service in serving.placed.services)
    return replace(stack, serving=replace(serving, placed=replace(serving.placed, services=services)))


def _with_rollout(service: PlacedService, rollouts: Mapping[str, Rollout]) -> PlacedService:
    if service.placement is None:
        return service
    return replace(service, placement=replace(service.placement, rollout=rollouts[service.name]))
