"""Roles that a service is to take: they exist, and their trust policy names the service.

https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html,
https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import refused_by_eks

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

CLUSTER = "eks.amazonaws.com"
NODE = "ec2.amazonaws.com"
POD = "pods.eks.amazonaws.com"


def require(place: Place, arn: str, service: str, what: str, actions: tuple[str, ...] = ()) -> None:
    """Raises Refused for a role that is not there, or that the service may not take."""
    role = next((item for item in place.iam.roles.values() if item.arn == arn), None)
    if role is None:
        raise refused_by_eks(f"The specified {what} does not exist: {arn}")
    wanted = {"sts:AssumeRole", *actions}
    if not any(wanted <= allowed for allowed in _allowed(role, service)):
        raise refused_by_eks(
            f"Following required service principals [{service}] with actions {sorted(wanted)} were not found "
            f"in the trust relationships of {what} {arn}"
        )


def _allowed(role: Any, service: str) -> list[set[str]]:
    """The actions of each statement that trusts a service."""
    statements = json.loads(role.assume_role_policy_document).get("Statement", [])
    found: list[set[str]] = []
    for statement in statements if isinstance(statements, list) else [statements]:
        principal = statement.get("Principal", {})
        services = principal.get("Service", []) if isinstance(principal, dict) else []
        if statement.get("Effect") == "Allow" and service in _listed(services):
            found.append(set(_listed(statement.get("Action", []))))
    return found


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]
