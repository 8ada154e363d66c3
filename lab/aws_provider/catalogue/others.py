"""IAM, which has no region; KMS keys, log groups, and scheduled actions of Auto Scaling groups."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from lab.aws_provider.catalogue import tagging
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
    not_updated,
    output,
)

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
        **not_updated("assumeRolePolicy", create="AssumeRolePolicyDocument", from_live=_document),
    },
    create="CreateRole",
    identify=lambda _, answer: answer["Role"]["RoleName"],
    read="GetRole",
    ask=by_id("RoleName"),
    found="Role",
    delete=deleted_by("DeleteRole", "RoleName"),
    outputs={"arn": output("Arn"), "uniqueId": output("RoleId")},
    name="name",
    identity=("name",),
    gone=_NO_ENTITY,
    tagging=tagging.pairs,
)

_inline = by_parts(":", "RoleName", "PolicyName")

ROLE_POLICY = ResourceType(
    pulumi_type="aws:iam/rolePolicy:RolePolicy",
    service="iam",
    inputs={
        **fixed("role", create="RoleName"),
        **fixed("name", create="PolicyName"),
        **not_updated("policy", create="PolicyDocument", from_live=_document),
    },
    create="PutRolePolicy",
    identify=lambda subject, _: f"{subject['role']}:{subject['name']}",
    read="GetRolePolicy",
    ask=_inline,
    found="",
    delete=lambda subject: [("DeleteRolePolicy", _inline(subject))],
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
        **not_updated("description"),
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
        "rotation": lambda subject, _: [
            (
                "EnableKeyRotation" if subject["enableKeyRotation"] else "DisableKeyRotation",
                {"KeyId": subject.identifier},
            )
        ],
    },
    outputs={"arn": output("Arn"), "keyId": output("KeyId")},
    gone=frozenset({"NotFoundException"}),
    tagging=tagging.of_kms,
)


def _log_group(subject: Subject, found: Description) -> Description | None:
    named = (each for each in found["logGroups"] if each["logGroupName"] == subject.identifier)
    group = next(named, None)
    if group is None:
        return None
    arn = group["arn"].removesuffix(":*")
    return {**group, "arn": arn, **subject.api.call("logs", "ListTagsForResource", {"resourceArn": arn})}


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
    updates={
        "retention": lambda subject, _: [
            (
                "PutRetentionPolicy",
                {"logGroupName": subject.identifier, "retentionInDays": subject["retentionInDays"]},
            )
        ]
    },
    outputs={"arn": output("arn")},
    name="name",
    identity=("name",),
    gone=frozenset({"ResourceNotFoundException"}),
    tagging=tagging.mapped,
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
