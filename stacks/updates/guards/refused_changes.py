"""Changes of a stack that runs which its state and the settings alone are enough to refuse."""

from collections.abc import Iterator, Mapping

from engines.release import known_line_name, release_line
from recipes.model_download import S3Copy
from stacks.errors import NOTHING_DONE, Problem
from stacks.plan.cache_plan import ExistingVolume, OwnVolume
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.platform.platform_plan import OwnPlatform
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.settings.cluster import EfsStorage, reservation_id
from stacks.updates.deployed_nodes import (
    DeployedNodes,
    NodeChange,
    node_changes,
)
from stacks.updates.guards.fixed_at_creation import changed_problems, fixed_values
from stacks.updates.running import DeployedVolume, Running
from stacks.wording import alternatives, in_words


def refused_changes(stack: StackPlan, before: Running, rebuilt: str = "") -> tuple[Problem, ...]:
    """Return why what runs cannot become this stack; nothing where it can.

    Args:
        stack: what is wanted.
        before: what runs.
        rebuilt: value of REBUILT_VARIABLE.

    """
    return (
        *changed_problems(before.fixed, fixed_values(stack), rebuilt),
        *left_out_problems(before, stack),
        *bucket_problems(stack, before),
        *volume_problems(before.volume, stack),
        *running_block_problems(stack.infrastructure, before.node_groups),
    )


SECOND_STACK = "docs/upgrade.md#a-second-stack"


def left_out_problems(before: Running, stack: StackPlan) -> tuple[Problem, ...]:
    """Return why the platform that runs cannot become the one of the settings."""
    running, platform = before.release, stack.platform
    if running is None or not isinstance(platform, OwnPlatform):
        return ()
    # Of a chart that is no release, nobody can say which one comes next.
    present, target = str(running.get("version")), platform.version
    if known_line_name(present) is None or is_supported_step(present, target):
        return ()
    message = (
        f"{present} runs, and Dynamo supports no step that leaves out a minor release, as to {target}; "
        f"{NOTHING_DONE}"
    )
    reached = [f'"{release}"' for release in PLATFORM_RELEASES if is_supported_step(present, release)]
    suggestion = (
        f"a second stack with {target} on another cluster, then the clients, then the end of this one "
        f"({SECOND_STACK})"
    )
    allowed = alternatives(reached) if reached else None
    return (Problem("platform.version", target, message, allowed=allowed, suggestion=suggestion),)


def is_supported_step(present: str, target: str) -> bool:
    """Whether one release may follow another, in either direction: of the same minor or of the next one.

    Dynamo supports no other ("Apply every intermediate minor release in order", docs v1.6.2, reference/
    releases/deprecations), nor prefill and decode of different releases beside each other.
    """
    (major, minor), (new_major, new_minor) = release_line(present), release_line(target)
    return major == new_major and abs(new_minor - minor) <= 1


_BUCKETS = "docs/model-cache.md#a-bucket"


def bucket_problems(stack: StackPlan, before: Running) -> Iterator[Problem]:
    """Yield that the copy would fail: nodes keep their role from pods, and pods have none of their own."""
    cache, cluster = stack.cache, stack.infrastructure
    if cluster is None or before.node_groups or not stack.layers.owns("serving"):
        return
    if isinstance(cache, ExistingVolume) or not isinstance(cache.source, S3Copy):
        return
    if cache.nodes is not None and waited_for(stack):
        # Nothing is copied before there are GPU nodes.
        return
    account = cache.source.service_account_name or "default"
    yield Problem(
        "model.source.kind",
        "s3",
        f"nothing gives service account {account} of a cluster that is yet to be made a role that reads "
        f"{cache.source.address}",
        suggestion=(
            f"a stack of layers: [infrastructure] first, then `aws eks create-pod-identity-association "
            f"--cluster-name {cluster.cluster.name} --namespace {stack.serving.namespace} --service-account "
            f"{account} --role-arn ROLE`, then this stack on it ({_BUCKETS})"
        ),
    )


_OTHER_VOLUME = "docs/updates.md#another-volume-for-the-model"
_NEVER_BOUND = "docs/runbook/cache-volume-unbound.md"


def volume_problems(before: DeployedVolume | None, stack: StackPlan) -> tuple[Problem, ...]:
    """Return why the claim that exists cannot become the one that is asked for.

    Kubernetes refuses to shrink a claim in the middle of `up`. Another class would replace it, and the claim
    that goes first is mounted by every worker, so its deletion would wait for pods that nobody stops.
    """
    cache, typed = stack.cache, stack.settings.model_cache
    if before is None or typed is None or isinstance(cache, ExistingVolume):
        return ()
    # EFS holds what is written, and its claim is never changed.
    if cache.size_gib < before.size_gib and not isinstance(typed.storage, EfsStorage):
        size = f"{before.size_gib}Gi"
        message = f"the volume has {size}, and neither a claim nor a file system shrinks"
        return (
            _volume_problem("size", f"{cache.size_gib}Gi", message, allowed=f"{size} or more", keep=size),
        )
    kept = before.storage_class_name
    now = cache.class_name if isinstance(cache, OwnVolume) else None
    if kept == now:
        return ()
    what = f"of class {kept}" if kept else "a file system that this stack has made"
    message = (
        f"the volume is {what}, and a claim never changes its class (one that never got a volume: "
        f"{_NEVER_BOUND})"
    )
    keep = kept or "leave it out"
    return (_volume_problem("storageClassName", now or None, message, allowed=kept or "none", keep=keep),)


_BLOCKS = "docs/capacity-blocks.md#change-what-nodes-are-made-of"


def running_block_problems(plan: EksPlan | None, before: Mapping[str, DeployedNodes]) -> tuple[Problem, ...]:
    """Return what would exchange nodes of a Capacity Block that run."""
    if plan is None:
        return ()
    return tuple(
        _block_problem(plan, change)
        for change in node_changes(plan, before)
        if change.before.in_a_block and change.running
    )


def _volume_problem(key: str, value: object, message: str, *, allowed: str, keep: str) -> Problem:
    return Problem(
        f"modelCache.{key}",
        value,
        f"{message}; {NOTHING_DONE}",
        allowed=allowed,
        suggestion=f"modelCache.{key}: {keep}; or another volume, with an interruption ({_OTHER_VOLUME})",
    )


def _block_problem(plan: EksPlan, change: NodeChange) -> Problem:
    pool = f"nodePools[{plan.gpu_nodes.index(change.nodes)}]"
    number = in_words(change.running, "node")
    message = (
        f"would exchange {number} of a Capacity Block that may run in pool {change.nodes.pool.name} "
        f"({change.text}); {NOTHING_DONE}"
    )
    way = (
        f"{pool}.purchase.phase: empty, alone, and `pulumi up`; then this change with the phase that is due "
        f"({_BLOCKS}). Where the block is over and its nodes are gone: `pulumi refresh`, then `pulumi up`"
    )
    key, value, was = _changed_setting(plan, change, pool)
    return Problem(key, value, message, allowed=was, suggestion=way)


def _changed_setting(plan: EksPlan, change: NodeChange, pool: str) -> tuple[str, str, str | None]:
    """Return the setting, what stands there and what it was; the pool where none of these differs."""
    nodes, before = change.nodes, change.before
    settings: tuple[tuple[str, str | None, str | None], ...] = (
        ("cluster.version", plan.cluster.version, before.group.get("version")),
        (f"{pool}.zone", nodes.zone, before.zone),
        (f"{pool}.amiRelease", nodes.ami_release, before.group.get("releaseVersion")),
        (f"{pool}.purchase.id", reservation_id(nodes.purchase), before.reservation),
        (f"{pool}.instanceType", nodes.pool.instance_type.name, before.template.get("instanceType")),
    )
    found = ((key, now, was) for key, now, was in settings if now and was and now != was)
    return next(found, (pool, nodes.pool.name, None))
