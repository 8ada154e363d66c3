"""What the last run of this stack exported, read while the program runs."""

from collections.abc import Mapping
from typing import Any, cast

import pulumi

from stacks.guards.fixed_at_creation import OUTPUT_NAME

# The engine's own function behind StackReference. A StackReference to the stack itself would leave a resource
# in the state that holds a copy of all outputs; this leaves nothing but the engine's own provider.
_READ_OUTPUTS = "pulumi:pulumi:readStackOutputs"


def previous_fixed_values() -> Mapping[str, object] | None:
    """Return what the last run recorded as fixed; None before the first one.

    To be called before anything is registered. Works alike in a preview and with every backend; takes no
    longer than reading the stack's state.
    """
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    answer: Mapping[str, Any] = pulumi.runtime.invoke(_READ_OUTPUTS, {"name": stack}).value
    outputs = cast("Mapping[str, Any]", answer["outputs"])
    recorded: object = outputs.get(OUTPUT_NAME)
    return cast("Mapping[str, object]", recorded) if isinstance(recorded, Mapping) else None
