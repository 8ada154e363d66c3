"""Refuses changes of the model's volume that Kubernetes would refuse in the middle of `up`."""

from stacks.errors import Problem
from stacks.plan.stack_plan import ResolvedCache
from stacks.updates.deployed import DeployedVolume

_GUIDE = "docs/updates.md#another-volume-for-the-model"
_NEVER_BOUND = "docs/runbook/cache-volume-unbound.md"


def volume_problems(before: DeployedVolume | None, cache: ResolvedCache) -> tuple[Problem, ...]:
    """Return why the claim that exists cannot become the one that is asked for.

    Kubernetes refuses to shrink a claim in the middle of `up`. Another class would replace it, and the claim
    that goes first is mounted by every worker, so its deletion would wait for pods that nobody stops.
    """
    if before is None or cache.size_gib is None:
        return ()
    if cache.size_gib < before.size_gib:
        who = (
            "FSx does not shrink a file system" if cache.volume_name else "Kubernetes does not shrink a claim"
        )
        message = f"the volume has {before.size_gib}Gi, and {who}"
        size = f"{before.size_gib}Gi"
        return (_problem("size", f"{cache.size_gib}Gi", message, allowed=f"{size} or more", keep=size),)
    if cache.storage_class_name != before.storage_class_name:
        return (_other_class_problem(before, cache),)
    return ()


def _other_class_problem(before: DeployedVolume, cache: ResolvedCache) -> Problem:
    now, kept = cache.storage_class_name, before.storage_class_name
    never = f"a claim never changes its class (one that never got a volume: {_NEVER_BOUND})"
    if not kept:
        message = f"the volume is a file system that this stack has made, and {never}"
        return _problem("storageClassName", now, message, allowed="none", keep="leave it out")
    message = f"the volume is of class {kept}, and {never}"
    if not now:
        return _problem("storage", None, message, allowed="none", keep="leave it out")
    return _problem("storageClassName", now, message, allowed=kept, keep=kept)


def _problem(key: str, value: object, message: str, *, allowed: str, keep: str) -> Problem:
    return Problem(
        f"modelCache.{key}",
        value,
        f"{message}; nothing was created or changed",
        allowed=allowed,
        suggestion=f"modelCache.{key}: {keep}; or another volume, with an interruption ({_GUIDE})",
    )
