"""A field that somebody else owns by now, which an update does not take back by itself."""

import re

from failures.explanation import Subject

SIGN = "field conflict detected"

# k8s.io/apimachinery pkg/util/managedfields/internal/conflict.go: one conflict on one line, several as lists.
_OWNER = re.compile(
    r'conflicts? with "(?P<manager>[^"]+)"(?: with subresource "(?P<subresource>[^"]+)")?'
    r"(?: using (?P<version>[^\s:]+))?:(?P<fields>(?: \S+|(?:\n- \S+)+))"
)
_FIELD = re.compile(r"\.\S+")


def edit_command(kind: str, name: str, namespace: str | None) -> str:
    """Return the command with which a person sets a field of an object."""
    return f"kubectl edit {kind}/{name}" + (f" --namespace {namespace}" if namespace else "")


def conflict_text(subject: Subject, stack: str, error: str) -> str:
    """Return who owns which field, and what to type to put it back or to leave it.

    A field whose value is the stack's again conflicts with no owner (docs/runbook/drift.md).
    """
    lines = [
        f"  {field}, set by {found['manager']}"
        + (f" ({found['subresource']})" if found["subresource"] else "")
        for found in _OWNER.finditer(error)
        for field in _FIELD.findall(found["fields"])
    ]
    return "\n".join(
        [
            f"Somebody else has changed what this stack sets of {subject.kind} {subject.name}:",
            *(lines or ["  the error below names the field and its manager"]),
            "It may be meant, so nothing is forced (docs/adr/0009-drift-and-field-conflicts.md).",
            f"See: dynamo-stack drift {stack}",
            f"What to do: to leave them, write their values into Pulumi.{stack}.yaml; to put them back, make "
            "that manager stop setting them, type the stack's values into "
            f"`{edit_command(subject.kind, subject.name, subject.namespace)}`, "
            f"then `pulumi up --refresh --stack {stack}`.",
            "Runbook: docs/runbook/drift.md",
        ]
    )
