"""What a run has seen of a stack on GPUs, kept for `explain`."""

import datetime as dt

from operations.errors import CommandError
from stacks.plan.stack_plan import StackPlan
from stacks.served_runs import RUNS, ServedRun, record_run


def record(stack: StackPlan, command: str, found: str, *, is_mock: bool | None) -> str:
    """Keep that the stack was seen to serve; returns a line about it.

    Raises:
        CommandError: nobody knows that a real engine answered.

    """
    if is_mock is not False:
        reason = "a mock engine answered" if is_mock else "nobody can tell whether a mock engine answered"
        raise CommandError(f"nothing is recorded: {reason}")
    recipe = stack.serving.placed.recipe
    date = dt.datetime.now(dt.UTC).date().isoformat()
    for gpu in stack.used_accelerators:
        record_run(ServedRun(date, command, stack.name, recipe.name, recipe.runtime.version, gpu, found))
    return f"recorded in {RUNS}, which `dynamo-stack explain` reads"
