"""IAM: policies that must exist, and documents that must be read
(https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_MOST_ATTACHED = 10


@refuses("iam", "AttachRolePolicy")
def attachment(place: Place, given: dict[str, Any]) -> None:
    """A policy that does not exist; more than ten on one role."""
    arn = given["PolicyArn"]
    if arn not in place.iam.managed_policies:
        raise Refused("NoSuchEntity", f"Policy {arn} does not exist or is not attachable.")
    role = next((item for item in place.iam.roles.values() if item.name == given["RoleName"]), None)
    if role is not None and arn not in role.managed_policies and len(role.managed_policies) >= _MOST_ATTACHED:
        raise Refused("LimitExceeded", f"Cannot exceed quota for PoliciesPerRole: {_MOST_ATTACHED}")


@refuses("iam", "CreateRole")
def trust(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """A trust policy without principals, or with resources."""
    for statement in _statements(given["AssumeRolePolicyDocument"]):
        if "Principal" not in statement or "Resource" in statement:
            raise Refused("MalformedPolicyDocument", "Has prohibited field Resource, or no Principal")


@refuses("iam", "PutRolePolicy")
def permissions(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """A permissions policy without actions or resources, or with principals."""
    for statement in _statements(given["PolicyDocument"]):
        if "Principal" in statement:
            raise Refused("MalformedPolicyDocument", "Policy document should not specify a principal.")
        for required in (("Action", "NotAction"), ("Resource", "NotResource")):
            if not any(key in statement for key in required):
                raise Refused("MalformedPolicyDocument", f"Policy statement must contain {required[0]}s.")


def _statements(text: str) -> list[dict[str, Any]]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise Refused("MalformedPolicyDocument", "This policy contains invalid Json") from error
    found = document.get("Statement", [])
    return found if isinstance(found, list) else [found]
