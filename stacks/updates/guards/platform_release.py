"""Refuses a platform release that leaves out a minor on the way to it."""

from engines.release import known_line_name
from stacks.errors import Problem
from stacks.plan.platform import OwnPlatform
from stacks.plan.stack_plan import StackPlan
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.updates.deployed import Deployed
from stacks.updates.platform_steps import is_supported_step
from stacks.wording import alternatives

SECOND_STACK = "docs/upgrade.md#a-second-stack"


def left_out_problems(before: Deployed, stack: StackPlan) -> tuple[Problem, ...]:
    """Return why the platform that runs cannot become the one of the settings."""
    running, platform = before.release, stack.platform
    if running is None or not isinstance(platform, OwnPlatform):
        return ()
    # Of a chart that is no release, nobody can say which one comes next.
    if known_line_name(running.version) is None or is_supported_step(running.version, platform.version):
        return ()
    return (_jump_problem(running.version, platform.version),)


def _jump_problem(present: str, target: str) -> Problem:
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
    return Problem("platform.version", target, message, allowed=allowed, suggestion=suggestion)
