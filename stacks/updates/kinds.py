"""What each kind of change does to a stack that runs, before anybody has made one."""

from collections.abc import Iterable
from dataclasses import dataclass

from stacks.plan.cache_plan import OwnVolume
from stacks.plan.stack_plan import StackPlan
from stacks.wording import in_words


@dataclass(frozen=True, slots=True)
class KindOfChange:
    """Changes with the same effect."""

    settings: str
    effect: str
    """Which pods restart, for how long nothing serves, whether new workers fit beside old ones."""


def kinds_of_change(stack: StackPlan) -> Iterable[KindOfChange]:
    """Return them from the frequent to the rare."""
    minutes = f"about {stack.serving.load.minutes} min without service"
    rollouts = [worker.placement.rollout for worker in stack.serving.placed.workers if worker.placement]
    recreated = any(rollout.strategy == "Recreate" for rollout in rollouts)
    transport = ", kvTransport" if stack.serving.placed.recipe.is_disaggregated else ""
    pause = minutes if recreated else "without an interruption"
    yield KindOfChange(f"engine options, image, model.revision{transport}", f"all workers restart, {pause}")
    cache = ", larger modelCache.size" if isinstance(stack.cache, OwnVolume) else ""
    platform = "; platform values: only the operator restarts"
    yield KindOfChange(
        f"replicas{cache}", f"no pod restarts{platform if stack.platform.kind == 'own' else ''}"
    )
    yield KindOfChange("recipe, name", f"another graph and address, {minutes}{_unless_it_fits(stack)}")


def _unless_it_fits(stack: StackPlan) -> str:
    left = [placed for placed in stack.pools if placed.used_gpus and placed.free_gpus]
    if not left:
        return ""
    free = " and ".join(f"{in_words(placed.free_gpus, 'GPU')} of pool {placed.pool.name}" for placed in left)
    return f" unless {free} hold it too"
