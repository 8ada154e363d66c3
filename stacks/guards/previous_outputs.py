"""What the last run of this stack exported, read while the program runs."""

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import pulumi

from stacks.guards.fixed_at_creation import OUTPUT_NAME

# The engine's own function behind StackReference. A StackReference to the stack itself would leave a resource
# in the state that holds a copy of all outputs; this leaves nothing but the engine's own provider.
_READ_OUTPUTS = "pulumi:pulumi:readStackOutputs"

# While `up` runs, the engine writes the state that this reads. A file backend neither locks nor renames for a
# reader of its own: measured, such a read finds an empty file ("failed to load checkpoint: EOF") or none.
# One write takes milliseconds, and this early in a run there is only one.
_ATTEMPTS = 20
_PAUSE_SECONDS = 0.25

_Answer = TypeVar("_Answer")


def previous_fixed_values() -> Mapping[str, object] | None:
    """Return what the last run recorded as fixed; None before the first one.

    To be called before anything is registered. Works alike in a preview and with every backend; takes no
    longer than reading the stack's state.
    """
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    answer = read_again_while_written(
        lambda: cast("Mapping[str, Any]", pulumi.runtime.invoke(_READ_OUTPUTS, {"name": stack}).value)
    )
    outputs = cast("Mapping[str, Any]", answer["outputs"])
    recorded: object = outputs.get(OUTPUT_NAME)
    return cast("Mapping[str, object]", recorded) if isinstance(recorded, Mapping) else None


def read_again_while_written(
    read: Callable[[], _Answer], *, attempts: int = _ATTEMPTS, pause_seconds: float = _PAUSE_SECONDS
) -> _Answer:
    """Return what `read` returns, trying again while the engine writes the state.

    Raises:
        pulumi.RunError: the state could not be read in `attempts` tries; its text is meant for a person.

    """
    for attempt in range(1, attempts + 1):
        try:
            return read()
        except Exception as error:
            # The SDK raises nothing more precise than Exception for an invoke that failed.
            if attempt == attempts:
                raise pulumi.RunError(
                    f"the state of this stack cannot be read, so nothing was changed: {error}\n"
                    "  try: `pulumi stack export` says whether the state is whole; then run the command again"
                ) from None
            time.sleep(pause_seconds)
    raise AssertionError("attempts must be at least 1")
