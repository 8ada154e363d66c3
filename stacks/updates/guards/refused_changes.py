"""Changes of a stack that runs which its state and the settings alone are enough to refuse."""

from collections.abc import Iterator, Mapping

from engines.release import known_line_name, release_line
from recipes.model_download import S3Copy
from stacks.errors import Problem
from stacks.plan.cache_plan import CachePlan, ExistingVolume, OwnVolume
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.platform import OwnPlatform
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.settings.cluster import CapacityBlock, EfsStorage, LustreStorage, reservation_id
from stacks.updates.deployed_nodes import (
    GROUP_SUFFIX,
    SYSTEM,
    DeployedNodes,
    NodeChange,
    logical_name,
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
        *volume_problems(before.volume, stack.cache),
        *version_problems(stack.infrastructure, before.node_groups),
        *running_block_problems(stack.infrastructure, before.node_groups),
    )


def version_problems(plan: EksPlan | None, before: Mapping[str, DeployedNodes]) -> Iterator[Problem]:
    """Yield that the version is more than one after that of the last run.

    https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html: one minor version at a time.
    """
    system = before.get(SYSTEM)
    if plan is None or system is None or system.version is None:
        return
    major, minor = map(int, system.version.split("."))
    following = f"{major}.{minor + 1}"
    if tuple(map(int, plan.cluster.version.split("."))) > (major, minor + 1):
        yield Problem(
            "cluster.version",
            plan.cluster.version,
            f"the cluster runs {system.version}, and EKS passes over no minor version",
            suggestion=f'"{following}", and `pulumi up`; then "{plan.cluster.version}"',
        )


SECOND_STACK = "docs/upgrade.md#a-second-stack"


def left_out_problems(before: Running, stack: StackPlan) -> tuple[Problem, ...]:
    """Return why the platform that runs cannot become the one of the settings."""
    running, platform = before.release, stack.platform
    if running is None or not isinstance(platform, OwnPlatform):
        return ()
    # Of a chart that is no release, nobody can say which one comes next.
    present, target = running.version, platform.version
    if known_line_name(present) is None or is_supported_step(present, target):
        return ()
    message = (
        f"{present} runs, and Dynamo supports no step that leaves out a minor release, as to {target}; "
        "nothing was created or changed"
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


def volume_problems(before: DeployedVolume | None, cache: CachePlan) -> tuple[Problem, ...]:
    """Return why the claim that exists cannot become the one that is asked for.

    Kubernetes refuses to shrink a claim in the middle of `up`. Another class would replace it, and the claim
    that goes first is mounted by every worker, so its deletion would wait for pods that nobody stops.
    """
    if before is None or isinstance(cache, ExistingVolume):
        return ()
    storage = cache.storage.typed if isinstance(cache, OwnVolume) and cache.storage else None
    # EFS holds what is written, and its claim is never changed.
    if cache.size_gib < before.size_gib and not isinstance(storage, EfsStorage):
        is_lustre = isinstance(storage, LustreStorage)
        who = "FSx does not shrink a file system" if is_lustre else "Kubernetes does not shrink a claim"
        message = f"the volume has {before.size_gib}Gi, and {who}"
        size = f"{before.size_gib}Gi"
        return (
            _volume_problem("size", f"{cache.size_gib}Gi", message, allowed=f"{size} or more", keep=size),
        )
    now = cache.class_name if isinstance(cache, OwnVolume) else None
    return () if now == before.storage_class_name else (_other_class_problem(before.storage_class_name, now),)


_BLOCKS = "docs/capacity-blocks.md#change-what-nodes-are-made-of"

_WITHOUT_TAGS = 2
"""Kinds of things that a template names without tags of the stack: nodes and their disks."""


def running_block_problems(plan: EksPlan | None, before: Mapping[str, DeployedNodes]) -> tuple[Problem, ...]:
    """Return what would exchange nodes of a Capacity Block that run."""
    if plan is None:
        return ()
    changes = (change for change in node_changes(plan, before) if change.before.in_a_block and change.running)
    return (
        *(problem for change in changes for problem in _block_problems(plan, change)),
        *_renamed_pools(plan, before),
    )


def _renamed_pools(plan: EksPlan, before: Mapping[str, DeployedNodes]) -> Iterator[Problem]:
    """Yield pools that would take a Capacity Block from one of another name, which has its instances."""
    known = {logical_name(nodes) for nodes in plan.gpu_nodes}
    gone = {
        group.reservation: name.removesuffix(GROUP_SUFFIX)
        for name, group in before.items()
        if name not in known and group.in_a_block and group.running
    }
    for index, nodes in enumerate(plan.gpu_nodes):
        block = reservation_id(nodes.purchase)
        if block in gone and logical_name(nodes) not in before:
            old = gone[block]
            message = (
                f"would be a node group of its own, while the instances of Capacity Block {block} run in "
                f"that of pool {old}; nothing was created or changed"
            )
            way = f"{old}; or empty that pool first ({_BLOCKS})"
            yield Problem(f"nodePools[{index}].name", nodes.pool.name, message, allowed=old, suggestion=way)


def _other_class_problem(kept: str, now: str | None) -> Problem:
    never = f"a claim never changes its class (one that never got a volume: {_NEVER_BOUND})"
    if not kept:
        message = f"the volume is a file system that this stack has made, and {never}"
        return _volume_problem("storageClassName", now, message, allowed="none", keep="leave it out")
    message = f"the volume is of class {kept}, and {never}"
    if not now:
        return _volume_problem("storage", None, message, allowed="none", keep="leave it out")
    return _volume_problem("storageClassName", now, message, allowed=kept, keep=kept)


def _volume_problem(key: str, value: object, message: str, *, allowed: str, keep: str) -> Problem:
    return Problem(
        f"modelCache.{key}",
        value,
        f"{message}; nothing was created or changed",
        allowed=allowed,
        suggestion=f"modelCache.{key}: {keep}; or another volume, with an interruption ({_OTHER_VOLUME})",
    )


def _block_problems(plan: EksPlan, change: NodeChange) -> Iterator[Problem]:
    pool = f"nodePools[{plan.gpu_nodes.index(change.nodes)}]"
    number = in_words(change.running, "node")
    message = (
        f"would exchange {number} of a Capacity Block that may run in pool {change.nodes.pool.name} "
        f"({change.text}); nothing was created or changed"
    )
    key, value, allowed = _changed_setting(plan, change, pool)
    way = (
        f"{pool}.purchase.phase: empty, alone, and `pulumi up`; then this change with the phase that is due "
        f"({_BLOCKS}). Where the block is over and its nodes are gone: `pulumi refresh`, then `pulumi up`"
    )
    yield Problem(key, value, message, allowed=allowed, suggestion=way)


def _changed_setting(plan: EksPlan, change: NodeChange, pool: str) -> tuple[str, object, str | None]:
    """Return the setting, what stands there and what it was."""
    nodes, before, image = change.nodes, change.before, change.nodes.ami_release
    block = nodes.purchase.id if isinstance(nodes.purchase, CapacityBlock) else before.reservation
    kind, was = nodes.pool.instance_type.name, before.template.get("instanceType")
    causes: tuple[tuple[bool, str, object, str | None], ...] = (
        (before.has_other_version(change.version), "cluster.version", change.version, before.version),
        (bool(change.moved), f"{pool}.zone", nodes.zone.name, before.zone),
        (before.has_other_image(image), f"{pool}.amiRelease", image, before.ami_release),
        (block != before.reservation, f"{pool}.purchase.id", block, before.reservation),
        (was != kind, f"{pool}.instanceType", kind, str(was)),
        ("root disk" in change.changed, f"{pool}.rootVolumeType", nodes.root_volume_type, None),
        ("tags" in change.changed, *_changed_tags(plan, before), None),
    )
    found = ((key, value, allowed) for applies, key, value, allowed in causes if applies)
    return next(found, (pool, nodes.pool.name, None))


def _changed_tags(plan: EksPlan, before: DeployedNodes) -> tuple[str, object]:
    tagged_before = len(before.template.get("tagSpecifications") or ()) > _WITHOUT_TAGS
    if tagged_before and plan.cluster.tag_nodes:
        return "cluster.tags", dict(plan.cluster.tags)
    return "cluster.tagNodes", plan.cluster.tag_nodes
