"""Changes of a stack that runs which its state alone is enough to refuse."""

from collections.abc import Mapping

from stacks.errors import Problem
from stacks.plan.stack_plan import StackPlan
from stacks.updates.deployed import Deployed
from stacks.updates.guards.bucket_access import bucket_problems
from stacks.updates.guards.fixed_at_creation import changed_problems, fixed_values
from stacks.updates.guards.model_volume import volume_problems
from stacks.updates.guards.platform_release import left_out_problems
from stacks.updates.guards.running_blocks import running_block_problems
from stacks.updates.guards.version_steps import version_problems


def refused_changes(
    stack: StackPlan, before: Deployed, fixed: Mapping[str, object] | None, rebuilt: str = ""
) -> tuple[Problem, ...]:
    """Return why what runs cannot become this stack; nothing where it can.

    Args:
        stack: what is wanted.
        before: what runs.
        fixed: the values that were fixed when the stack was created; None where none were recorded.
        rebuilt: value of REBUILT_VARIABLE.

    """
    return (
        *changed_problems(fixed, fixed_values(stack), rebuilt),
        *left_out_problems(before, stack),
        *bucket_problems(stack, before),
        *volume_problems(before.volume, stack.cache),
        *version_problems(stack.infrastructure, before.node_groups),
        *running_block_problems(stack.infrastructure, before.node_groups),
    )
