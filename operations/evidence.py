"""What a person's own runs have seen of stacks, kept beside the stack files for `explain` and `size`."""

import datetime as dt

from operations.errors import CommandError
from sizing.points import OWN_POINTS, Point, own_points
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


def recorded_points() -> tuple[Point, ...]:
    """Return what `bench --record` has written here; nothing where it has written nothing.

    Raises:
        CommandError: somebody has changed the file, and a line of it is no point.

    """
    try:
        return own_points(OWN_POINTS)
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(
            f"{OWN_POINTS}: not as `dynamo-stack bench --record` writes it: {error}\n"
            "  try: take the line out, or move the file away"
        ) from None
