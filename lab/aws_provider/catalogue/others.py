"""IAM, which has no region; KMS keys, log groups, and scheduled actions of Auto Scaling groups."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

from lab.aws_provider.catalogue.tagging import KMS, ROLE, by_arn
from lab.aws_provider.flatten import same_json
from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    BUILT,
    Description,
    Parameters,
    ResourceType,
    Subject,
    by_id,
    by_parts,
    changed_by,
    deleted_by,
    fixed,
    output,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.aws_provider.resource_type import Request

_NO_ENTITY = frozenset({"NoSuchEntity"})
_SIZES = {"minSize": "MinSize", "maxSize": "MaxSize", "desiredCapacity": "DesiredCapacity"}
_UNCHANGED = -1


def _document(live: Any, given: Any) -> Any:
    """A policy document as text; the program's own where it says the same."""
    text = live if isinstance(live, str) or live is None else json.dumps(live)
    return given if same_json(text, given) else text


IAM_ROLE = ResourceType(
    pulumi_type="aws:iam/role:Role",
    service="iam",
    inputs={
        **fixed("name", create="RoleName"),
        **changed_by("trust", "assumeRolePolicy", create="AssumeRolePolicyDocument", from_live=_document),
    },
    create="CreateRole",
    identify=lambda _, answer: answer["Role"]["RoleName"],
    read="GetRole",
    ask=by_id("RoleName"),
    found="Role",
    delete=deleted_by("DeleteRole", "RoleName"),
    updates={
        "trust": lambda subject, _: [
            (
                "UpdateAssumeRolePolicy",
                {"RoleName": subject.identifier, "PolicyDocument": subject["assumeRolePolicy"]},
            )
        ]
    },
    outputs={"arn": output("Arn"), "uniqueId": output("RoleId")},
    name="name",
    identity=("name",),
    gone=_NO_ENTITY,
    tagging=ROLE,
)

_inline = by_parts(":", "RoleName", "PolicyName")

ROLE_POLICY = ResourceType(
    pulumi_type="aws:iam/rolePolicy:RolePolicy",
    service="iam",
    inputs={
        **fixed("role", create="RoleName"),
        **fixed("name", create="PolicyName"),
        **changed_by("policy", "policy", create="PolicyDocument", from_live=_document),
    },
    create="PutRolePolicy",
    identify=lambda subject, _: f"{subject['role']}:{subject['name']}",
    read="GetRolePolicy",
    ask=_inline,
    found="",
    delete=lambda subject: [("DeleteRolePolicy", _inline(subject))],
    updates={
        "policy": lambda subject, _: [
            ("PutRolePolicy", {**_inline(subject), "PolicyDocument": subject["policy"]})
        ]
    },
    name="name",
    identity=("role", "name"),
    gone=_NO_ENTITY,
)

_attachment = by_parts("/", "RoleName", "PolicyArn")


def _attached(subject: Subject, found: Description) -> Description | None:
    wanted = _attachment(subject)
    arns = {policy["PolicyArn"] for policy in found["AttachedPolicies"]}
    return wanted if wanted["PolicyArn"] in arns else None


ROLE_POLICY_ATTACHMENT = ResourceType(
    pulumi_type="aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    service="iam",
    inputs={**fixed("role", create="RoleName"), **fixed("policyArn")},
    create="AttachRolePolicy",
    identify=lambda subject, _: f"{subject['role']}/{subject['policyArn']}",
    read="ListAttachedRolePolicies",
    ask=lambda subject: {"RoleName": _attachment(subject)["RoleName"]},
    found="",
    complete=_attached,
    delete=lambda subject: [("DetachRolePolicy", _attachment(subject))],
    identity=("role", "policyArn"),
    gone=_NO_ENTITY,
)


def _key(subject: Subject, found: Description) -> Description | None:
    if found["KeyState"] == "PendingDeletion":
        return None
    key = {"KeyId": subject.identifier}
    rotation = subject.api.call("kms", "GetKeyRotationStatus", key)
    return {**found, **rotation, "Tags": subject.api.call("kms", "ListResourceTags", key)["Tags"]}


KEY = ResourceType(
    pulumi_type="aws:kms/key:Key",
    service="kms",
    inputs={
        **changed_by("description", "description"),
        **changed_by("rotation", "enableKeyRotation", create=None, read="KeyRotationEnabled", default=False),
    },
    create="CreateKey",
    identify=lambda _, answer: answer["KeyMetadata"]["KeyId"],
    read="DescribeKey",
    ask=by_id("KeyId"),
    found="KeyMetadata",
    complete=_key,
    delete=deleted_by("ScheduleKeyDeletion", "KeyId"),
    updates={
        "description": lambda subject, _: [
            (
                "UpdateKeyDescription",
                {"KeyId": subject.identifier, "Description": subject.inputs.get("description", "")},
            )
        ],
        "rotation": lambda subject, _: [
            ("EnableKeyRotation", {"KeyId": subject.identifier})
            if subject.inputs.get("enableKeyRotation")
            else ("DisableKeyRotation", {"KeyId": subject.identifier})
        ],
    },
    outputs={"arn": output("Arn"), "keyId": output("KeyId")},
    gone=frozenset({"NotFoundException"}),
    tagging=KMS,
)


def _log_group(subject: Subject, found: Description) -> Description | None:
    named = (each for each in found["logGroups"] if each["logGroupName"] == subject.identifier)
    group = next(named, None)
    if group is None:
        return None
    arn = group["arn"].removesuffix(":*")
    return {**group, "arn": arn, **subject.api.call("logs", "ListTagsForResource", {"resourceArn": arn})}


def _retained(subject: Subject, _: set[str]) -> Sequence[Request]:
    group, days = {"logGroupName": subject.identifier}, subject.inputs.get("retentionInDays")
    if days:
        return [("PutRetentionPolicy", {**group, "retentionInDays": days})]
    return [("DeleteRetentionPolicy", group)] if subject.state else []


LOG_GROUP = ResourceType(
    pulumi_type="aws:cloudwatch/logGroup:LogGroup",
    service="logs",
    inputs={
        **fixed("name", create="logGroupName"),
        **changed_by("retention", "retentionInDays", create=None, default=0),
    },
    create="CreateLogGroup",
    identify=lambda subject, _: subject["name"],
    read="DescribeLogGroups",
    ask=by_id("logGroupNamePrefix"),
    found="",
    complete=_log_group,
    delete=deleted_by("DeleteLogGroup", "logGroupName"),
    updates={"retention": _retained},
    outputs={"arn": output("arn")},
    name="name",
    identity=("name",),
    gone=frozenset({"ResourceNotFoundException"}),
    tagging=by_arn("arn"),
)


def _sizes(subject: Subject) -> Parameters:
    """Terraform's provider takes a size that is not given as 0, and -1 as: leave it as it is."""
    given = {api: subject.inputs.get(name, 0) for name, api in _SIZES.items()}
    return {api: value for api, value in given.items() if value != _UNCHANGED}


def _time(live: Any, given: Any) -> Any:
    if not isinstance(live, dt.datetime) or dt.datetime.fromisoformat(given) == live:
        return given
    return live.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


SCHEDULE = ResourceType(
    pulumi_type="aws:autoscaling/schedule:Schedule",
    service="autoscaling",
    inputs={
        **fixed("autoscalingGroupName", "scheduledActionName"),
        **changed_by("action", *_SIZES, create=BUILT),
        **changed_by("action", "startTime", from_live=_time),
    },
    create="PutScheduledUpdateGroupAction",
    identify=lambda subject, _: subject["scheduledActionName"],
    read="DescribeScheduledActions",
    ask=lambda subject: {
        "AutoScalingGroupName": subject.get("autoscalingGroupName"),
        "ScheduledActionNames": [subject.identifier],
    },
    found="ScheduledUpdateGroupActions.0",
    delete=lambda subject: [
        (
            "DeleteScheduledAction",
            {
                "AutoScalingGroupName": subject.get("autoscalingGroupName"),
                "ScheduledActionName": subject.identifier,
            },
        )
    ],
    also=_sizes,
    updates={
        "action": lambda subject, _: [
            ("PutScheduledUpdateGroupAction", {**mapped(SCHEDULE, subject.inputs), **_sizes(subject)})
        ]
    },
    outputs={"arn": output("ScheduledActionARN")},
    identity=("autoscalingGroupName", "scheduledActionName"),
    gone=frozenset({"ValidationError"}),
)

TYPES = (IAM_ROLE, ROLE_POLICY, ROLE_POLICY_ATTACHMENT, KEY, LOG_GROUP, SCHEDULE)
