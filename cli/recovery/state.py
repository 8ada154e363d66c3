"""What the state of a stack says of the run before."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from cli.errors import CommandError
from cli.pulumi_command import PulumiCommand
from cli.recovery.remains import PendingOperation, StackState

_KUBERNETES = "kubernetes:"


def read_state(pulumi: PulumiCommand) -> StackState:
    """The state, without decrypting anything.

    Raises:
        CommandError: there is no such stack, or pulumi cannot read it.

    """
    answer = pulumi.capture("stack", "export")
    if answer.code != 0 and "no stack named" in answer.err:
        raise CommandError(
            f"stack {pulumi.stack} does not exist in the backend that pulumi is logged in to: "
            "nothing of it can have been interrupted\n"
            f"  try: `pulumi whoami --verbose` shows the backend; `pulumi stack init {pulumi.stack}` makes "
            "the stack"
        )
    if answer.code != 0:
        raise CommandError(f"`{pulumi.line('stack', 'export')}` failed:\n{answer.err.strip()}")
    return parse_state(json.loads(answer.out).get("deployment") or {})


def parse_state(deployment: Mapping[str, Any]) -> StackState:
    """The part of an exported deployment that recovery is about."""
    resources: list[Mapping[str, Any]] = list(deployment.get("resources") or [])
    ours = [resource for resource in resources if str(resource["type"]).startswith(_KUBERNETES)]
    operations: Iterable[Mapping[str, Any]] = deployment.get("pending_operations") or []
    return StackState(
        recorded=frozenset(
            (resource["urn"], resource.get("id", "")) for resource in ours if not _is_going(resource)
        ),
        pending=tuple(
            PendingOperation(
                operation["type"], operation["resource"]["urn"], str(operation["resource"]["type"])
            )
            for operation in operations
        ),
        half_replaced=tuple(resource["urn"] for resource in ours if _is_going(resource)),
    )


def _is_going(resource: Mapping[str, Any]) -> bool:
    # `delete`: its successor exists. `pendingReplacement`: it was deleted to make room for one.
    return bool(resource.get("delete") or resource.get("pendingReplacement"))
