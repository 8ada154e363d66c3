"""What each kind of change does to a stack that runs, before anybody has made one."""

from collections.abc import Iterable
from dataclasses import dataclass

from stacks.plan.resolved import OwnVolume, ResolvedStack
from stacks.wording import in_words


@dataclass(frozen=True, slots=True)
class KindOfChange:
    """Changes with the same effect."""

    settings: str
    effect: str
    """Which pods restart, for how long nothing serves, whether new workers fit beside old ones."""


def kinds_of_change(stack: ResolvedStack) -> Iterable[KindOfChange]:
    """Return them from the frequent to the rare."""
    minutes = f"about {stack.serving.load.minutes} min without service"
    rollouts = [worker.placement.rollout for worker in stack.serving.placed.workers if worker.placement]
    recreated = any(rollout.strategy == "Recreate" for rollout in rollouts)
    transport = ", kvTransport" if stack.serving.kv_transport else ""
    pause = minutes if recreated else "without an interruption"
    yield KindOfChange(f"engine options, image, model.revision{transport}", f"all workers restart, {pause}")
    cache = ", larger modelCache.size" if isinstance(stack.cache, OwnVolume) else ""
    platform = "; platform values: only the operator restarts"
    yield KindOfChange(
        f"replicas{cache}", f"no pod restarts{platform if stack.platform.kind == 'own' else ''}"
    )
    yield KindOfChange("recipe, name", f"another graph and address, {minutes}{_unless_it_fits(stack)}")


def _unless_it_fits(stack: ResolvedStack) -> str:
    left = [pool for pool in stack.pools if pool.used_gpus and pool.free_gpus]
    if not left:
        return ""
    free = " and ".join(f"{in_words(pool.free_gpus, 'GPU')} of pool {pool.name}" for pool in left)
    return f" unless {free} hold it too"
