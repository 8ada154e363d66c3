"""Sentences for the person who reads a preview: effects of an update on the pods and volumes that run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from stacks.plan.cache_plan import CachePlan, ExistingVolume, NodeCopies, OwnVolume
from stacks.plan.platform.platform_plan import OwnPlatform, PlatformPlan, release_values
from stacks.plan.stack_plan import StackPlan
from stacks.updates.beside_what_runs import Replacement
from stacks.updates.comparable_graph import Graph, Service
from stacks.updates.nested_values import leaves_by_path, mapping_in
from stacks.updates.running import DeployedVolume, Running
from stacks.wording import in_words

_SHORT_COMMIT = 7
# The first that fits names a changed path.
_WORDS = (
    ("configMap", "engine files"),
    ("args", "command"),
    ("image", "image"),
    ("resources", "sizes"),
    ("sharedMemory", "sizes"),
    ("resourceClaims", "placement"),
    ("affinity", "placement"),
    ("nodeSelector", "placement"),
    ("tolerations", "placement"),
    ("topologySpreadConstraints", "placement"),
    ("annotations", "rollout"),
    ("labels", "labels"),
    ("volume", "model cache"),
)


@dataclass(frozen=True, slots=True)
class Notice:
    """One effect of an update."""

    text: str
    """The first line says what happens, indented ones why and for how long."""
    warns: bool
    """Whether somebody could be hurt by not having read it."""
    interruption: str | None = None
    """How long requests are not answered, as the text says it too; None where they are answered."""


def graph_notices(stack: StackPlan, running: Graph, wanted: Graph) -> Iterable[Notice]:
    """Say what happens to the pods of a graph that is changed."""
    if not running.makes_same_workers(wanted):
        yield _restart(stack, running, wanted)
        return
    changed = list(_count_changes(stack, running, wanted))
    changed += [f"{name} restarts pod by pod" for name in _restarted(running.others, wanted)]
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
        stays = f", or keep the old one with serving.name: {running.name}"
        hint = stays if running.namespace == wanted.namespace else ""
        lines.append(f"{moved}; tell the clients{hint}")
    return Notice("\n  ".join(lines), warns=True, interruption=interruption if how.old_first else None)


def leftover_notice(graph: Graph) -> Notice:
    """Say that a graph goes which an update that failed has left beside this one."""
    return Notice(
        f"another graph: {graph.name} is left from an update that failed, and is deleted", warns=True
    )


def platform_notices(before: Mapping[str, Any] | None, platform: PlatformPlan | None) -> Iterable[Notice]:
    """Say what an upgrade of the platform restarts."""
    if before is None or not isinstance(platform, OwnPlatform):
        return
    start = "platform: Release dynamo-platform is upgraded"
    version = before.get("version")
    if version != platform.version:
        yield Notice(
            f"{start} ({version} -> {platform.version}), which restarts the operator, and every "
            "worker if the new one writes other pods",
            warns=True,
        )
    elif mapping_in(before, "values") != release_values(platform):
        yield Notice(f"{start} (values), which restarts the operator alone", warns=False)


def cache_notices(stack: StackPlan, before: Running) -> Iterable[Notice]:
    """Say what happens to the model's volume: another revision is brought first, and a claim can grow."""
    yield from _revision_notice(before.revision, stack.serving.placed.recipe.model.revision, stack.cache)
    yield from _volume_notice(before.volume, stack.cache)


def differences(before: Iterable[Service], now: Mapping[str, Service]) -> list[str]:
    """Return what has changed of the services' pods, each once, in words that stack files use."""
    found: dict[str, None] = {}
    for service in before:
        old, new = leaves_by_path(service.template), leaves_by_path(now[service.name].template)
        for path in sorted(old.keys() | new.keys()):
            if old.get(path) != new.get(path):
                found[_word_for(path)] = None
    return list(found)


def effects_of_changes(stack: StackPlan) -> Iterable[str]:
    """Say what each kind of change does to a stack that runs, from the frequent to the rare."""
    minutes = f"about {stack.serving.load.minutes} min without service"
    rollouts = [worker.placement.rollout for worker in stack.serving.placed.workers if worker.placement]
    recreated = any(rollout.strategy == "Recreate" for rollout in rollouts)
    recipe = stack.serving.placed.recipe
    transport = ", kvTransport" if recipe.is_disaggregated else ""
    # Prefill and decode workers of one pod are words of its command line.
    in_one_pod = ", replicas of workers" if recipe.one_pod is not None else ""
    counted = "replicas of the frontend" if in_one_pod else "replicas"
    pause = minutes if recreated else "without an interruption"
    yield f"engine options, image, model.revision{transport}{in_one_pod}: all workers restart, {pause}"
    cache = ", larger modelCache.size" if isinstance(stack.cache, OwnVolume) else ""
    platform = (
        "; platform values: only the operator restarts" if isinstance(stack.platform, OwnPlatform) else ""
    )
    yield f"{counted}{cache}: no pod restarts{platform}"
    yield f"recipe, name: another graph and address, {minutes}{_unless_it_fits(stack)}"


def _who_brings(cache: CachePlan) -> str:
    match cache:
        case NodeCopies():
            return "DaemonSet model-cache brings it to every node"
        case OwnVolume(job_name=name):
            return f"Job {name} fills the volume"
        case ExistingVolume(job_name=name):
            return f"Job {name} looks for it on the volume"


def _restart(stack: StackPlan, running: Graph, wanted: Graph) -> Notice:
    placed = [(worker, worker.placement) for worker in stack.serving.placed.workers if worker.placement]
    rollouts = {worker.name: placement.rollout for worker, placement in placed}
    changed = ", ".join(differences(running.workers, wanted.services))
    # In the recipe's order: a state has its own.
    old = [running.services[name] for name in wanted.services if name in rollouts]
    all_of_them = ", ".join(f"{service.replicas} x {service.name}" for service in old)
    waited_for = [rollout for rollout in rollouts.values() if rollout.strategy == "Recreate"]
    interruption = (waited_for or list(rollouts.values()))[0].interruption
    lines = [
        f"every worker restarts: {all_of_them} (changed: {changed})",
        f"interruption: {interruption}",
        *(f"{name}: {rollout.strategy} ({rollout.reason})" for name, rollout in rollouts.items()),
        *_count_changes(stack, running, wanted),
    ]
    restarted = _restarted(running.others, wanted)
    lines += [
        f"{service.name}: {'restarts pod by pod' if service.name in restarted else 'not touched'}"
        for service in wanted.others
    ]
    return Notice(
        "\n  ".join(lines), warns=bool(waited_for), interruption=interruption if waited_for else None
    )


def _restarted(services: Iterable[Service], wanted: Graph) -> list[str]:
    return [
        service.name for service in services if service.template != wanted.services[service.name].template
    ]


def _count_changes(stack: StackPlan, running: Graph, wanted: Graph) -> Iterable[str]:
    pools = {each.name: each.placement.pool for each in stack.serving.placed.workers if each.placement}
    for name, service in wanted.services.items():
        before, now = running.services[name].replicas, service.replicas
        if before == now:
            continue
        number = abs(now - before)
        done, where = ("added", "on") if now > before else ("removed", "from")
        gpus = in_words(number * service.gpus, "GPU")
        place = f" {where} {gpus} of pool {pools[name]}" if name in pools else ""
        yield f"{name} {before} -> {now} replicas, {in_words(number, 'pod')} {done}{place}"


def _word_for(path: tuple[str, ...]) -> str:
    if "env" in path:
        return path[path.index("env") + 1]
    for key, word in _WORDS:
        if any(step.startswith(key) for step in path):
            return word
    return path[-1]


def _unless_it_fits(stack: StackPlan) -> str:
    left = [placed for placed in stack.used_pools if placed.free_gpus]
    if not left:
        return ""
    free = " and ".join(f"{in_words(placed.free_gpus, 'GPU')} of pool {placed.pool.name}" for placed in left)
    return f" unless {free} hold it too"


def _revision_notice(before: str | None, now: str, cache: CachePlan) -> Iterable[Notice]:
    if before is None or before == now:
        return
    text = (
        f"model revision: {now[:_SHORT_COMMIT]} replaces {before[:_SHORT_COMMIT]}; {_who_brings(cache)} "
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


def _volume_notice(before: DeployedVolume | None, cache: CachePlan) -> Iterable[Notice]:
    if before is None or not isinstance(cache, OwnVolume) or cache.size_gib <= before.size_gib:
        return
    how = (
        f"storage class {cache.class_name} must allow it (allowVolumeExpansion: true)"
        if cache.class_name
        else "the file system grows while it is read"
    )
    text = f"model cache: {before.size_gib}Gi -> {cache.size_gib}Gi, nothing restarts; {how}"
    yield Notice(text, warns=False)
