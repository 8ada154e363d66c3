"""IAM: roles, policies, attachments. Global: no region."""

from __future__ import annotations

import json
from typing import Any

from lab.aws_provider.catalogue.tagging import of_iam
from lab.aws_provider.flatten import same_json
from lab.aws_provider.resource_type import (
    NO_UPDATE,
    Description,
    ResourceType,
    Subject,
    Update,
    changed_by,
    fixed,
    of_the_provider,
    output,
)

_GONE = frozenset({"NoSuchEntity"})


def document(live: Any, given: Any) -> Any:
    """A policy document as text; the program's own where it says the same."""
    text = live if isinstance(live, str) or live is None else json.dumps(live)
    return given if same_json(text, given) else text


def _name(subject: Subject) -> dict[str, str]:
    return {"RoleName": subject.identifier}


def _update_role(subject: Subject, _: set[str]) -> None:
    given = {"Description": subject.inputs.get("description", "")}
    if subject.inputs.get("maxSessionDuration"):
        given["MaxSessionDuration"] = subject["maxSessionDuration"]
    subject.api.call("iam", "UpdateRole", {**_name(subject), **given})


def _trust(subject: Subject, _: set[str]) -> None:
    request = {**_name(subject), "PolicyDocument": subject["assumeRolePolicy"]}
    subject.api.call("iam", "UpdateAssumeRolePolicy", request)


def _bound(subject: Subject, _: set[str]) -> None:
    boundary = subject.inputs.get("permissionsBoundary")
    if boundary:
        request = {**_name(subject), "PermissionsBoundary": boundary}
        subject.api.call("iam", "PutRolePermissionsBoundary", request)
    else:
        subject.api.call("iam", "DeleteRolePermissionsBoundary", _name(subject))


def _delete_role(subject: Subject) -> None:
    if subject.get("forceDetachPolicies"):
        attached = subject.api.call("iam", "ListAttachedRolePolicies", _name(subject))
        for policy in attached["AttachedPolicies"]:
            request = {**_name(subject), "PolicyArn": policy["PolicyArn"]}
            subject.api.call("iam", "DetachRolePolicy", request)
    subject.api.call("iam", "DeleteRole", _name(subject))


ROLE = ResourceType(
    pulumi_type="aws:iam/role:Role",
    service="iam",
    inputs={
        **fixed("name", create="RoleName"),
        **fixed("path", default="/"),
        **changed_by("trust", "assumeRolePolicy", create="AssumeRolePolicyDocument", from_live=document),
        **changed_by("role", "description"),
        **changed_by("role", "maxSessionDuration", default=3600),
        **changed_by("boundary", "permissionsBoundary", read="PermissionsBoundary.PermissionsBoundaryArn"),
        **of_the_provider("forceDetachPolicies"),
    },
    create="CreateRole",
    identify=lambda _, answer: answer["Role"]["RoleName"],
    describe=lambda subject: subject.api.call("iam", "GetRole", _name(subject))["Role"],
    delete=_delete_role,
    updates={
        "trust": Update(_trust),
        "role": Update(_update_role),
        "boundary": Update(_bound),
        **NO_UPDATE,
    },
    outputs={"arn": output("Arn"), "uniqueId": output("RoleId")},
    name="name",
    identity=("name",),
    gone=_GONE,
    tagging=of_iam("Role", _name),
    regional=False,
)


def _inline(subject: Subject) -> dict[str, str]:
    role, _, name = subject.identifier.partition(":")
    return {"RoleName": role, "PolicyName": name}


def _put(subject: Subject, _: set[str]) -> None:
    subject.api.call("iam", "PutRolePolicy", {**_inline(subject), "PolicyDocument": subject["policy"]})


ROLE_POLICY = ResourceType(
    pulumi_type="aws:iam/rolePolicy:RolePolicy",
    service="iam",
    inputs={
        **fixed("role", create="RoleName"),
        **fixed("name", create="PolicyName"),
        **changed_by("policy", "policy", create="PolicyDocument", from_live=document),
    },
    create="PutRolePolicy",
    identify=lambda subject, _: f"{subject['role']}:{subject['name']}",
    describe=lambda subject: subject.api.call("iam", "GetRolePolicy", _inline(subject)),
    delete=lambda subject: subject.api.call("iam", "DeleteRolePolicy", _inline(subject)),
    updates={"policy": Update(_put)},
    name="name",
    identity=("role", "name"),
    gone=_GONE,
    regional=False,
)


def _attachment(subject: Subject) -> dict[str, str]:
    role, _, arn = subject.identifier.partition("/")
    return {"RoleName": role, "PolicyArn": arn}


def _describe_attachment(subject: Subject) -> Description | None:
    wanted = _attachment(subject)
    answer = subject.api.call("iam", "ListAttachedRolePolicies", {"RoleName": wanted["RoleName"]})
    found = {policy["PolicyArn"] for policy in answer["AttachedPolicies"]}
    return dict(wanted) if wanted["PolicyArn"] in found else None


ROLE_POLICY_ATTACHMENT = ResourceType(
    pulumi_type="aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    service="iam",
    inputs={**fixed("role", create="RoleName"), **fixed("policyArn")},
    create="AttachRolePolicy",
    identify=lambda subject, _: f"{subject['role']}/{subject['policyArn']}",
    describe=_describe_attachment,
    delete=lambda subject: subject.api.call("iam", "DetachRolePolicy", _attachment(subject)),
    identity=("role", "policyArn"),
    gone=_GONE,
    regional=False,
)

TYPES = (ROLE, ROLE_POLICY, ROLE_POLICY_ATTACHMENT)
