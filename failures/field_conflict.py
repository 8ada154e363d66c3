"""A field that somebody else owns by now, which an update does not take back by itself."""

import re

from failures.explanation import Subject

SIGN = "field conflict detected"
FORCE_VARIABLE = "PULUMI_K8S_ENABLE_PATCH_FORCE"
"""Lets the provider take fields from any owner, in the one run that it is set for."""

# k8s.io/apimachinery pkg/util/managedfields/internal/conflict.go: one conflict on one line, several as lists.
_OWNER = re.compile(
    r'conflicts? with "(?P<manager>[^"]+)"(?: with subresource "(?P<subresource>[^"]+)")?'
    r"(?: using (?P<version>[^\s:]+))?:(?P<fields>(?: \S+|(?:\n- \S+)+))"
)
_FIELD = re.compile(r"\.\S+")


def conflict_text(subject: Subject, stack: str, error: str) -> str:
    """Return who owns which field, and what to type to take it back or to leave it."""
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
            "What to do: to take the fields back, run "
            f"`{FORCE_VARIABLE}=true pulumi up --refresh --stack {stack}`; "
            f"to leave them, write their values into Pulumi.{stack}.yaml.",
            "Runbook: docs/runbook/drift.md",
        ]
    )
