"""Losses of a stack in the cluster, found before anything is registered, and the claim that ends an `up`."""

from components.cluster_reader import ClusterReader
from components.model_volume import LostClaim
from failures.engine_process import makes_resources
from failures.losses import ClaimAndLosses, Places, look
from stacks.errors import Problem
from stacks.plan.cache_plan import ExistingVolume, NodeCopies
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.deployed import Deployed
from stacks.updates.notices import Notice

_SECONDS = 10
_PAGE = "docs/runbook/cache-lost.md"


def places_of(stack: StackPlan) -> Places:
    """Return the parts of the stack that can be lost while every field still agrees."""
    serving, cache = stack.serving, stack.cache
    of_platform = (stack.platform.namespace,) if stack.platform else ()
    platform = of_platform if stack.layers.owns("platform") else ()
    if not stack.layers.owns("serving"):
        return Places(platform, next(iter(of_platform), ""))
    return Places(
        tuple(dict.fromkeys((*platform, serving.namespace))),
        serving.namespace,
        claim=None if isinstance(cache, NodeCopies) else cache.claim_name,
        job=None if isinstance(cache, NodeCopies) else cache.job_name,
        graph=None if waited_for(stack) else serving.graph_name,
        own_claim=not isinstance(cache, ExistingVolume),
    )


def look_for_losses(stack: StackPlan, cluster: ClusterReader) -> ClaimAndLosses | None:
    """Return what the cluster says of it; None where it does not, which takes a few seconds at most."""
    return look(cluster.within(_SECONDS), places_of(stack))


def uid_of(seen: ClaimAndLosses | None) -> str | None:
    """Return the identity of the claim that is in the cluster; None where nobody can tell."""
    return seen.claim["metadata"]["uid"] if seen and seen.claim else None


def loss_notices(stack: StackPlan, before: Deployed, seen: ClaimAndLosses | None) -> tuple[Notice, ...]:
    """Say which parts are being deleted or empty, and where the state is outdated."""
    texts = [
        *([stale] if (stale := _stale_claim_text(stack, before, seen)) else []),
        *map(str, seen.losses if seen else ()),
    ]
    return tuple(Notice(f"lost: {text}", warns=True) for text in texts)


def lost_claim(stack: StackPlan, before: Deployed, seen: ClaimAndLosses | None) -> LostClaim | None:
    """Return the claim that the state believes in and the cluster does not have; None where they agree.

    An `up` that does not refresh would call it unchanged. Only the engine knows whether this one refreshes:
    it writes down what a refresh has found together with the first change after it (pulumi/pulumi
    pkg/backend/snapshot.go, refreshSnapshotMutation), so that the state says the same in both. A stack
    that is taken down needs no claim.
    """
    stale, volume = _stale_claim_text(stack, before, seen), before.volume
    if stale is None or volume is None or not makes_resources():
        return None
    problem = Problem(
        "modelCache",
        None,
        f"{stale}; neither the cache nor the graph was changed",
        suggestion=f"`pulumi up --refresh --stack {stack.name}` ({_PAGE})",
    )
    return LostClaim(volume.uid, problem.text(stack.source))


def _stale_claim_text(stack: StackPlan, before: Deployed, seen: ClaimAndLosses | None) -> str | None:
    """The claim of the state, which is not that of the cluster."""
    volume, name = before.volume, stack.serving.placed.cache_claim_name
    if seen is None or volume is None or not volume.uid:
        return None
    if seen.claim is None:
        found = "is gone from the cluster, and the model's files with it"
    elif seen.claim["metadata"]["uid"] != volume.uid:
        found = "was made again behind Pulumi's back: its volume is empty"
    else:
        return None
    return f"claim {name} {found}; `up --refresh` makes it again and downloads, plain `up` ends"
