"""Refuses a platform release that leaves out one on the way to it."""

from stacks.errors import Problem
from stacks.plan.platform import OwnPlatform
from stacks.plan.stack_plan import StackPlan
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.updates.deployed import Deployed
from stacks.updates.platform_steps import is_older, stored_versions, upgrade_steps


def left_out_problems(before: Deployed, stack: StackPlan) -> tuple[Problem, ...]:
    """Return why the platform that runs cannot become the one of the settings in one `up`."""
    running, platform = before.release, stack.platform
    if running is None or not isinstance(platform, OwnPlatform) or running.version not in PLATFORM_RELEASES:
        return ()
    wanted = platform.version
    if not is_older(running.version, wanted):
        return ()
    first, *later = upgrade_steps(running.version, wanted, stored_versions())
    if not later:
        return ()
    message = (
        f"{running.version} runs, and between {first} and {later[0]} the API server's stored version of "
        "graphs moves; nothing was created or changed"
    )
    suggestion = f'"{first}" and `pulumi up`, then "{later[0]}" (docs/upgrade.md)'
    return (Problem("platform.version", wanted, message, allowed=f'"{first}"', suggestion=suggestion),)
