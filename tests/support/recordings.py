"""What the program registers, once per test process for each stack: a graph never changes."""

from pathlib import Path

from operations import project
from resource_graph import ResourceGraph
from stacks.plan.stack_plan import StackPlan
from stacks.settings.load import TOKEN_KEY
from stacks.updates.planned_update import FIRST, Update

_record = project.recorded_stack
_GRAPHS: dict[tuple[str, str, str | None], ResourceGraph] = {}


def recorded_stack(stack: StackPlan, update: Update = FIRST) -> ResourceGraph:
    """As `operations.project` has it, which a test needs that changes the program or its environment."""
    # Whether there is a token stands in the stack's file and nowhere in the stack.
    file = project.stack_directory(Path.cwd()) / stack.source
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    key = repr(stack), repr(update), text if TOKEN_KEY in text else None
    if key not in _GRAPHS:
        _GRAPHS[key] = _record(stack, update)
    return _GRAPHS[key]
