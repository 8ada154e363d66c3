"""What the state of a stack says of the run before."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from operations.errors import CommandError
from operations.pulumi_command import PulumiCommand
from operations.recovery.lost_state import LostStateError, newest_backup
from operations.recovery.remains import RELEASE_TYPE, ClusterObject, Operation, PendingOperation, StackState

_KUBERNETES = "kubernetes:"
# pulumi/pulumi pkg/backend/diy/state.go, getSnapshot.
_NO_STATE = "failed to load checkpoint"
# pulumi-kubernetes provider/pkg/await/await.go, for an operation that has no limit of its own.
_KUBERNETES_WAIT_SECONDS = 600.0
# hashicorp/terraform-provider-aws internal/service/eks/node_group.go: the longest of what a stack makes.
_AWS_WAIT_SECONDS = 3600.0
_LIMIT_OF: Mapping[Operation, str] = {"creating": "create", "updating": "update", "deleting": "delete"}


def read_state(pulumi: PulumiCommand) -> StackState:
    """The state, without decrypting anything.

    Raises:
        LostStateError: what the backend has of the stack is no state.
        CommandError: there is no such stack, or pulumi cannot read it.

    """
    answer = pulumi.capture("stack", "export")
    if answer.code != 0 and "no stack named" in answer.err:
        backup = newest_backup(pulumi)
        left = f"; unless the stack was removed on purpose, `{backup.command}` puts it back" if backup else ""
        raise CommandError(
            f"stack {pulumi.stack} does not exist in the backend that pulumi is logged in to: "
            "nothing of it can have been interrupted\n"
            f"  try: `pulumi whoami --verbose` shows the backend; `pulumi stack init {pulumi.stack}` makes "
            f"the stack{left}"
        )
    if answer.code != 0 and _NO_STATE in answer.err:
        raise _lost(pulumi, answer.err.strip())
    if answer.code != 0:
        raise CommandError(f"`{pulumi.line('stack', 'export')}` failed:\n{answer.err.strip()}")
    deployment = json.loads(answer.out).get("deployment")
    # A stack that was only made has a deployment without resources, in a backend of files.
    if deployment is None and newest_backup(pulumi):
        raise _lost(pulumi, "its file is JSON and holds no state")
    return parse_state(deployment or {})


def parse_state(deployment: Mapping[str, Any]) -> StackState:
    """The part of an exported deployment that recovery is about."""
    resources: list[Mapping[str, Any]] = list(deployment.get("resources") or [])
    ours = [resource for resource in resources if str(resource["type"]).startswith(_KUBERNETES)]
    operations: Iterable[Mapping[str, Any]] = deployment.get("pending_operations") or []
    return StackState(
        recorded=frozenset(
            (resource["urn"], resource.get("id", "")) for resource in ours if not _is_going(resource)
        ),
        pending=tuple(_pending(operation["type"], operation["resource"]) for operation in operations),
        half_replaced=tuple(resource["urn"] for resource in ours if _is_going(resource)),
        failed=frozenset(resource["urn"] for resource in ours if resource.get("initErrors")),
    )


def _lost(pulumi: PulumiCommand, reason: str) -> LostStateError:
    return LostStateError(
        f"the state of stack {pulumi.stack} cannot be read: {reason}\n"
        "  nothing was changed; what serves does not need it\n"
        f"  try: `dynamo-stack recover {pulumi.stack}`, which puts its backup back "
        "(docs/runbook/state-lost.md)"
    )


def _pending(operation: Operation, resource: Mapping[str, Any]) -> PendingOperation:
    urn, of_type = resource["urn"], str(resource["type"])
    inputs: Mapping[str, Any] = resource.get("inputs") or {}
    limit = (resource.get("customTimeouts") or {}).get(_LIMIT_OF.get(operation, ""))
    if of_type == RELEASE_TYPE:
        release = ClusterObject(
            urn, "helm.sh/v3", "Release", inputs.get("namespace"), str(inputs.get("name"))
        )
        return PendingOperation(
            operation, urn, of_type, release, float(inputs.get("timeout") or _KUBERNETES_WAIT_SECONDS)
        )
    if not of_type.startswith(_KUBERNETES):
        return PendingOperation(operation, urn, of_type, None, float(limit or _AWS_WAIT_SECONDS))
    metadata: Mapping[str, Any] = inputs.get("metadata") or {}
    target = ClusterObject(
        urn,
        str(inputs.get("apiVersion")),
        str(inputs.get("kind")),
        metadata.get("namespace"),
        str(metadata.get("name")),
    )
    return PendingOperation(operation, urn, of_type, target, float(limit or _KUBERNETES_WAIT_SECONDS))


def _is_going(resource: Mapping[str, Any]) -> bool:
    # `delete`: its successor exists. `pendingReplacement`: it was deleted to make room for one.
    return bool(resource.get("delete") or resource.get("pendingReplacement"))
