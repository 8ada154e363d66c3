"""KMS keys, CloudWatch log groups."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.iam import document
from lab.aws_provider.catalogue.tagging import by_arn
from lab.aws_provider.resource_type import (
    NO_UPDATE,
    Description,
    ResourceType,
    Subject,
    Tagging,
    Update,
    changed_by,
    fixed,
    of_the_provider,
    output,
)


def _key(subject: Subject) -> dict[str, str]:
    return {"KeyId": subject.identifier}


def _describe_key(subject: Subject) -> Description | None:
    key = subject.api.call("kms", "DescribeKey", _key(subject))["KeyMetadata"]
    if key["KeyState"] in {"PendingDeletion", "PendingReplicaDeletion"}:
        return None
    rotation = subject.api.call("kms", "GetKeyRotationStatus", _key(subject))
    policy = subject.api.call("kms", "GetKeyPolicy", {**_key(subject), "PolicyName": "default"})
    tags = subject.api.call("kms", "ListResourceTags", _key(subject))
    return {**key, "Rotation": rotation, "Policy": policy["Policy"], "Tags": tags["Tags"]}


def _rotate(subject: Subject, _: set[str]) -> None:
    if not subject.inputs.get("enableKeyRotation"):
        subject.api.call("kms", "DisableKeyRotation", _key(subject))
        return
    period = subject.inputs.get("rotationPeriodInDays")
    request = {**_key(subject), **({"RotationPeriodInDays": period} if period else {})}
    subject.api.call("kms", "EnableKeyRotation", request)


def _put_key_policy(subject: Subject, _: set[str]) -> None:
    request = {**_key(subject), "PolicyName": "default", "Policy": subject["policy"]}
    subject.api.call("kms", "PutKeyPolicy", request)


def _switch(subject: Subject, _: set[str]) -> None:
    wanted = subject.inputs.get("isEnabled", True)
    if wanted or subject.state:
        subject.api.call("kms", "EnableKey" if wanted else "DisableKey", _key(subject))


def _describe_it(subject: Subject, _: set[str]) -> None:
    request = {**_key(subject), "Description": subject.inputs.get("description", "")}
    subject.api.call("kms", "UpdateKeyDescription", request)


def _schedule_deletion(subject: Subject) -> None:
    days = subject.get("deletionWindowInDays")
    request = {**_key(subject), **({"PendingWindowInDays": days} if days else {})}
    subject.api.call("kms", "ScheduleKeyDeletion", request)


def _tag_pairs(tags: dict[str, str]) -> dict[str, Any]:
    return {"Tags": [{"TagKey": key, "TagValue": value} for key, value in tags.items()]}


def _change_key_tags(subject: Subject, _: Description, tags: dict[str, str], gone: list[str]) -> None:
    if gone:
        subject.api.call("kms", "UntagResource", {**_key(subject), "TagKeys": gone})
    if tags:
        subject.api.call("kms", "TagResource", {**_key(subject), **_tag_pairs(tags)})


KEY = ResourceType(
    pulumi_type="aws:kms/key:Key",
    service="kms",
    inputs={
        **fixed("keyUsage", "multiRegion", "customKeyStoreId", "xksKeyId"),
        **fixed("customerMasterKeySpec"),
        **changed_by("description", "description"),
        **changed_by("policy", "policy", from_live=document),
        **changed_by("switch", "isEnabled", create=None, read="Enabled", default=True),
        **changed_by(
            "rotation", "enableKeyRotation", create=None, read="Rotation.KeyRotationEnabled", default=False
        ),
        **changed_by("rotation", "rotationPeriodInDays", create=None, read="Rotation.RotationPeriodInDays"),
        **of_the_provider("deletionWindowInDays", "bypassPolicyLockoutSafetyCheck"),
    },
    create="CreateKey",
    identify=lambda _, answer: answer["KeyMetadata"]["KeyId"],
    describe=_describe_key,
    delete=_schedule_deletion,
    updates={
        "description": Update(_describe_it),
        "policy": Update(_put_key_policy),
        "switch": Update(_switch),
        "rotation": Update(_rotate),
        **NO_UPDATE,
    },
    outputs={"arn": output("Arn"), "keyId": output("KeyId")},
    gone=frozenset({"NotFoundException"}),
    tagging=Tagging(_tag_pairs, lambda description: description.get("Tags"), _change_key_tags),
)


def _describe_log_group(subject: Subject) -> Description | None:
    asked = {"logGroupNamePrefix": subject.identifier}
    groups = subject.api.call("logs", "DescribeLogGroups", asked)["logGroups"]
    group = next((item for item in groups if item["logGroupName"] == subject.identifier), None)
    if group is None:
        return None
    arn = group["arn"].removesuffix(":*")
    tags = subject.api.call("logs", "ListTagsForResource", {"resourceArn": arn})["tags"]
    return {**group, "arn": arn, "tags": tags}


def _retain(subject: Subject, _: set[str]) -> None:
    group = {"logGroupName": subject.identifier}
    days = subject.inputs.get("retentionInDays")
    if days:
        subject.api.call("logs", "PutRetentionPolicy", {**group, "retentionInDays": days})
    elif subject.state:
        subject.api.call("logs", "DeleteRetentionPolicy", group)


def _encrypt(subject: Subject, _: set[str]) -> None:
    group, key = {"logGroupName": subject.identifier}, subject.inputs.get("kmsKeyId")
    if key:
        subject.api.call("logs", "AssociateKmsKey", {**group, "kmsKeyId": key})
    else:
        subject.api.call("logs", "DisassociateKmsKey", group)


def _delete_log_group(subject: Subject) -> None:
    if not subject.get("skipDestroy"):
        subject.api.call("logs", "DeleteLogGroup", {"logGroupName": subject.identifier})


LOG_GROUP = ResourceType(
    pulumi_type="aws:cloudwatch/logGroup:LogGroup",
    service="logs",
    inputs={
        **fixed("name", create="logGroupName"),
        **fixed("logGroupClass"),
        **changed_by("retention", "retentionInDays", create=None, default=0),
        **changed_by("key", "kmsKeyId"),
        **of_the_provider("skipDestroy"),
    },
    create="CreateLogGroup",
    identify=lambda subject, _: subject["name"],
    describe=_describe_log_group,
    delete=_delete_log_group,
    updates={"retention": Update(_retain), "key": Update(_encrypt), **NO_UPDATE},
    outputs={"arn": output("arn")},
    name="name",
    identity=("name",),
    gone=frozenset({"ResourceNotFoundException"}),
    tagging=by_arn("logs", "arn", tag_map=True),
)

TYPES = (KEY, LOG_GROUP)
