"""What an update does to what runs, in sentences for the person who reads a preview."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from components.exposure_kinds import IngressRule, InternalLoadBalancer
from stacks.plan.cache_plan import CachePlan, ExistingVolume, NodeCopies, OwnVolume
from stacks.plan.stack_plan import StackPlan
from stacks.updates.deployed import Deployed, DeployedRelease, DeployedVolume
from stacks.updates.differences import differences
from stacks.updates.graph import Graph, Service
from stacks.updates.replacement import Replacement
from stacks.wording import in_words

_SHORT_COMMIT = 7


@dataclass(frozen=True, slots=True)
class Notice:
    """One effect of an update."""

    text: str
    """The first line says what happens, indented ones why and for how long."""
    warns: bool
    """Whether somebody could be hurt by not having read it."""


def graph_notices(stack: StackPlan, running: Graph, wanted: Graph) -> Iterable[Notice]:
    """Say what happens to the pods of a graph that is changed."""
    if not running.makes_same_workers(wanted):
        yield _restart(stack, running, wanted)
        return
    changed = [text for name in wanted.services for text in _count_change(stack, running, wanted, name)]
    changed += [f"{name} restarts pod by pod" for name in _changed(running.others, wanted)]
    yield from (Notice(f"no worker restarts: {text}", warns=False) for text in changed)


def replacement_notice(stack: StackPlan, running: Graph, wanted: Graph, how: Replacement) -> Notice:
    """Say what happens when the graph becomes another one."""
    if how.old_first:
        steps = f"{running.name} is deleted, then {wanted.name} is created"
        until = f"until the new one {stack.serving.load.words}"
        interruption = f"nothing serves from the moment the old graph ends {until}"
    else:
        steps = f"{wanted.name} is created, then {running.name} is deleted"
        interruption = (
            "none for clients that have the new address when the new graph is ready; the old ends then"
        )
    lines = [f"another graph: {steps}: {how.reason}", f"interruption: {interruption}"]
    if running.address != wanted.address:
        moved = f"address: {running.address} -> {wanted.address}"
        lines.append(f"{moved}{_outside(stack)}; tell the clients{_keeping(running, wanted)}")
    return Notice("\n  ".join(lines), warns=True)


def leftover_notice(graph: Graph) -> Notice:
    """Say that a graph goes which an update that failed has left beside this one."""
    return Notice(
        f"another graph: {graph.name} is left from an update that failed, and is deleted", warns=True
    )


def revision_notice(before: str | None, now: str, cache: CachePlan) -> Iterable[Notice]:
    """Say that another revision is brought first, and whether the volume holds both."""
    if before is None or before == now:
        return
    text = (
        f"model revision: {now[:_SHORT_COMMIT]} replaces {before[:_SHORT_COMMIT]}; {_brings(cache)} "
        "before any worker restarts"
    )
    if isinstance(cache, ExistingVolume):
        yield Notice(text, warns=False)
        return
    both = 2 * cache.needed_gib
    place = "on every node" if isinstance(cache, NodeCopies) else "on the volume"
    room = (
        f"room: the old revision stays {place}; two take {both}Gi, and modelCache.size is {cache.size_gib}Gi"
    )
    fits = both <= cache.size_gib
    advice = "" if fits else f": make it {both}Gi or more, unless the revisions share their large files"
    yield Notice(f"{text}\n  {room}{advice}", warns=not fits)


def _brings(cache: CachePlan) -> str:
    match cache:
        case NodeCopies():
            return "DaemonSet model-cache brings it to every node"
        case OwnVolume(job_name=name):
            return f"Job {name} fills the volume"
        case ExistingVolume(job_name=name):
            return f"Job {name} looks for it on the volume"


def volume_notice(before: DeployedVolume | None, cache: CachePlan) -> Iterable[Notice]:
    """Say what a larger cache needs."""
    if before is None or not isinstance(cache, OwnVolume) or cache.size_gib <= before.size_gib:
        return
    how = (
        f"storage class {cache.class_name} must allow it (allowVolumeExpansion: true)"
        if cache.class_name
        else "the file system grows while it is read"
    )
    text = f"model cache: {before.size_gib}Gi -> {cache.size_gib}Gi, nothing restarts; {how}"
    yield Notice(text, warns=False)


def platform_notice(
    before: DeployedRelease | None, version: str, values: Mapping[str, Any]
) -> Iterable[Notice]:
    """Say what an upgrade of the platform restarts."""
    if before is None:
        return
    start = "platform: Release dynamo-platform is upgraded"
    if before.version != version:
        yield Notice(
            f"{start} ({before.version} -> {version}), which restarts the operator, and every worker if the "
            "new one writes other pods",
            warns=True,
        )
    elif before.values != values:
        yield Notice(f"{start} (values), which restarts the operator alone", warns=False)


def other_notices(stack: StackPlan, before: Deployed) -> Iterable[Notice]:
    """Say what happens to the model's volume."""
    yield from revision_notice(before.revision, stack.serving.placed.recipe.model.revision, stack.cache)
    yield from volume_notice(before.volume, stack.cache)


def _restart(stack: StackPlan, running: Graph, wanted: Graph) -> Notice:
    placed = [(worker, worker.placement) for worker in stack.serving.placed.workers if worker.placement]
    rollouts = {worker.name: placement.rollout for worker, placement in placed}
    changed = ", ".join(differences(running.workers, wanted.services))
    # In the recipe's order: a state has its own.
    old = [running.services[name] for name in wanted.services if name in rollouts]
    all_of_them = ", ".join(f"{service.replicas} x {service.name}" for service in old)
    waited_for = [rollout for rollout in rollouts.values() if rollout.strategy == "Recreate"]
    lines = [
        f"every worker restarts: {all_of_them} (changed: {changed})",
        f"interruption: {(waited_for or list(rollouts.values()))[0].interruption}",
        *(f"{name}: {rollout.strategy} ({rollout.reason})" for name, rollout in rollouts.items()),
        *(f"{text}" for name in wanted.services for text in _count_change(stack, running, wanted, name)),
    ]
    restarted = _changed(running.others, wanted)
    lines += [
        f"{service.name}: {'restarts pod by pod' if service.name in restarted else 'not touched'}"
        for service in wanted.others
    ]
    return Notice("\n  ".join(lines), warns=bool(waited_for))


def _changed(services: Iterable[Service], wanted: Graph) -> list[str]:
    return [
        service.name for service in services if service.template != wanted.services[service.name].template
    ]


def _count_change(stack: StackPlan, running: Graph, wanted: Graph, name: str) -> Iterable[str]:
    before, now = running.services[name].replicas, wanted.services[name].replicas
    if before == now:
        return
    pods = in_words(abs(now - before), "pod")
    pool = next(
        (
            worker.placement.pool
            for worker in stack.serving.placed.workers
            if worker.name == name and worker.placement
        ),
        None,
    )
    gpus = in_words(abs(now - before) * wanted.services[name].gpus, "GPU")
    if now > before:
        effect = f"{pods} added" + (f" on {gpus} of pool {pool}" if pool else "")
    else:
        effect = f"{pods} removed" + (f" from {gpus} of pool {pool}" if pool else "")
    yield f"{name} {before} -> {now} replicas, {effect}"


def _outside(stack: StackPlan) -> str:
    match stack.serving.exposure:
        case InternalLoadBalancer():
            return ", and another load balancer"
        case IngressRule(host=host):
            return f", {host} stays"
        case None:
            return ""


def _keeping(running: Graph, wanted: Graph) -> str:
    if running.namespace != wanted.namespace:
        return ""
    return f", or keep the old one with serving.name: {running.name}"
