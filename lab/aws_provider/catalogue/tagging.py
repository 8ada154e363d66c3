"""How each service takes and tells tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.resource_type import Subject, Tagging, at

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.aws_provider.resource_type import Description


def pairs(tags: dict[str, str]) -> list[dict[str, str]]:
    """A list of keys and values."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def of_ec2(resource_type: str) -> Tagging:
    """TagSpecifications, CreateTags and DeleteTags."""

    def create(tags: dict[str, str]) -> dict[str, Any]:
        return {"TagSpecifications": [{"ResourceType": resource_type, "Tags": pairs(tags)}]}

    def change(subject: Subject, description: Description, tags: dict[str, str], gone: list[str]) -> None:
        identifier = description.get("GroupId") if resource_type == "placement-group" else subject.identifier
        if gone:
            subject.api.call(
                "ec2", "DeleteTags", {"Resources": [identifier], "Tags": [{"Key": key} for key in gone]}
            )
        if tags:
            subject.api.call("ec2", "CreateTags", {"Resources": [identifier], "Tags": pairs(tags)})

    return Tagging(create, lambda description: description.get("Tags"), change)


def by_arn(service: str, arn: str, *, tag_map: bool, parameter: str = "resourceArn") -> Tagging:
    """TagResource and UntagResource of whatever has an ARN at a place of its description."""
    tags_key, keys_key = ("tags", "tagKeys") if parameter[0].islower() else ("Tags", "TagKeys")

    def create(tags: dict[str, str]) -> dict[str, Any]:
        return {tags_key: tags if tag_map else pairs(tags)}

    def change(subject: Subject, description: Description, tags: dict[str, str], gone: list[str]) -> None:
        resource = {parameter: at(description, arn)}
        if gone:
            subject.api.call(service, "UntagResource", {**resource, keys_key: gone})
        if tags:
            subject.api.call(service, "TagResource", {**resource, **create(tags)})

    return Tagging(create, lambda description: description.get("tags") or description.get("Tags"), change)


def of_iam(kind: str, name: Callable[[Subject], dict[str, str]]) -> Tagging:
    """TagRole and its like."""

    def change(subject: Subject, _: Description, tags: dict[str, str], gone: list[str]) -> None:
        if gone:
            subject.api.call("iam", f"Untag{kind}", {**name(subject), "TagKeys": gone})
        if tags:
            subject.api.call("iam", f"Tag{kind}", {**name(subject), "Tags": pairs(tags)})

    return Tagging(lambda tags: {"Tags": pairs(tags)}, lambda description: description.get("Tags"), change)
