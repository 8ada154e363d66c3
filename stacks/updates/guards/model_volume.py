"""Refuses changes of the model's volume that Kubernetes would refuse in the middle of `up`."""

from components.storage_kinds import Efs, Lustre
from stacks.errors import Problem
from stacks.plan.cache_plan import CachePlan, ExistingVolume, OwnVolume
from stacks.updates.deployed import DeployedVolume

_GUIDE = "docs/updates.md#another-volume-for-the-model"
_NEVER_BOUND = "docs/runbook/cache-volume-unbound.md"


def volume_problems(before: DeployedVolume | None, cache: CachePlan) -> tuple[Problem, ...]:
    """Return why the claim that exists cannot become the one that is asked for.

    Kubernetes refuses to shrink a claim in the middle of `up`. Another class would replace it, and the claim
    that goes first is mounted by every worker, so its deletion would wait for pods that nobody stops.
    """
    if before is None or isinstance(cache, ExistingVolume):
        return ()
    if cache.size_gib < before.size_gib:
        fsx = isinstance(cache, OwnVolume) and isinstance(cache.storage, Lustre | Efs)
        who = "FSx does not shrink a file system" if fsx else "Kubernetes does not shrink a claim"
        message = f"the volume has {before.size_gib}Gi, and {who}"
        size = f"{before.size_gib}Gi"
        return (_problem("size", f"{cache.size_gib}Gi", message, allowed=f"{size} or more", keep=size),)
    now = cache.class_name if isinstance(cache, OwnVolume) else None
    return () if now == before.storage_class_name else (_other_class_problem(before.storage_class_name, now),)


def _other_class_problem(kept: str, now: str | None) -> Problem:
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
