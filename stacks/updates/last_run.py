"""Asks the engine for states: this stack's own, once while the program runs, and outputs of others."""

import time
from collections.abc import Mapping
from typing import Any, cast

import pulumi

from stacks.updates.running import Running, running_of

# The engine's own functions; the first is the one behind StackReference. A StackReference to the stack itself
# would leave a resource in the state that holds a copy of all outputs; these leave nothing but the engine's
# own provider.
_READ_OUTPUTS = "pulumi:pulumi:readStackOutputs"
_READ_RESOURCES = "pulumi:pulumi:readStackResourceOutputs"

# While `up` runs, the engine writes the state that this reads. A file backend neither locks nor renames for a
# reader of its own: measured, such a read finds an empty file ("failed to load checkpoint: EOF") or none.
# One write takes milliseconds, and this early in a run there is only one.
_ATTEMPTS = 20
_PAUSE_SECONDS = 0.25
_UNKNOWN = "unknown stack"
"""Part of the engine's message about a stack that is not there: pulumi/pulumi pkg/backend/backend.go."""


def last_run() -> Running:
    """Return what the last run left.

    To be called before anything is registered. Works alike in a preview and with every backend; takes no
    longer than reading the stack's state, and its secrets are in the answer of the engine.
    """
    stack = full_name(pulumi.get_stack())
    # The engine writes these down early, also where the run fails later.
    outputs = _read(_READ_OUTPUTS, {"name": stack})
    if not outputs:
        # Of a stack that has no state at all the engine has no resources to read either.
        return running_of({}, {})
    # Each is written when its own operation has ended: they are right after a run that failed half way.
    resources = _read(_READ_RESOURCES, {"stackName": stack})
    return running_of({urn: each.get("outputs") or {} for urn, each in resources.items()}, outputs)


def outputs_of(name: str) -> Mapping[str, Any] | None:
    """Return the outputs of another stack of this project: empty where nothing is up, None without it."""
    stack = full_name(name)
    try:
        return _read(_READ_OUTPUTS, {"name": stack}, whose=f"stack {name}")
    except pulumi.RunError as error:
        if _UNKNOWN in str(error):
            return None
        raise


def full_name(name: str) -> str:
    """Return the name by which every backend knows a stack of this project."""
    return f"{pulumi.get_organization()}/{pulumi.get_project()}/{name}"


def _read(function: str, arguments: Mapping[str, str], *, whose: str = "this stack") -> Mapping[str, Any]:
    """Return what the engine reads, trying again while it writes the state.

    Raises:
        pulumi.RunError: no try succeeded; its text is meant for a person.

    """
    attempts = _ATTEMPTS
    while True:
        attempts -= 1
        try:
            answer = cast("Mapping[str, Any]", pulumi.runtime.invoke(function, arguments).value)
            return cast("Mapping[str, Any]", answer.get("outputs") or {})
        except Exception as error:
            # The SDK raises nothing more precise than Exception for an invoke that failed.
            if not attempts:
                raise pulumi.RunError(
                    f"the state of {whose} cannot be read, so nothing was changed: {error}\n"
                    "  try: `pulumi stack export` says whether the state is whole; then run the command again"
                ) from None
        time.sleep(_PAUSE_SECONDS)
