"""How each service takes and tells tags."""

from __future__ import annotations

from lab.aws_provider.resource_type import Tagging, at


def pairs(tags: dict[str, str]) -> list[dict[str, str]]:
    """A list of keys and values."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def of_ec2(resource_type: str, identifier: str = "") -> Tagging:
    """Tags of anything in EC2, by its id or what the description has in its place."""
    return Tagging(
        resource=lambda subject, found: {"Resources": [found.get(identifier) or subject.identifier]},
        tags=lambda tags: {"Tags": pairs(tags)},
        gone=lambda keys: {"Tags": [{"Key": key} for key in keys]},
        set="CreateTags",
        remove="DeleteTags",
        create=lambda tags: {"TagSpecifications": [{"ResourceType": resource_type, "Tags": pairs(tags)}]},
    )


def by_arn(place: str) -> Tagging:
    """Tags of EKS and of CloudWatch, by an ARN at a place of the description."""
    return Tagging(
        resource=lambda _, found: {"resourceArn": at(found, place)},
        tags=lambda tags: {"tags": tags},
        gone=lambda keys: {"tagKeys": keys},
    )


FSX = Tagging(
    resource=lambda _, found: {"ResourceARN": found["ResourceARN"]},
    tags=lambda tags: {"Tags": pairs(tags)},
    gone=lambda keys: {"TagKeys": keys},
)
EFS = Tagging(
    resource=lambda subject, _: {"ResourceId": subject.identifier},
    tags=lambda tags: {"Tags": pairs(tags)},
    gone=lambda keys: {"TagKeys": keys},
)
ROLE = Tagging(
    resource=lambda subject, _: {"RoleName": subject.identifier},
    tags=lambda tags: {"Tags": pairs(tags)},
    gone=lambda keys: {"TagKeys": keys},
    set="TagRole",
    remove="UntagRole",
)
KMS = Tagging(
    resource=lambda subject, _: {"KeyId": subject.identifier},
    tags=lambda tags: {"Tags": [{"TagKey": key, "TagValue": value} for key, value in tags.items()]},
    gone=lambda keys: {"TagKeys": keys},
)
