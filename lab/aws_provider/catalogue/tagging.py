"""How the creating request of each service takes tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.aws_provider.resource_type import Parameters


def pairs(tags: dict[str, str]) -> Parameters:
    """A list of keys and values."""
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}


def mapped(tags: dict[str, str]) -> Parameters:
    """A map, as EKS and CloudWatch have it."""
    return {"tags": tags}


def of_kms(tags: dict[str, str]) -> Parameters:
    """The same list under KMS's own names."""
    return {"Tags": [{"TagKey": key, "TagValue": value} for key, value in tags.items()]}


def of_ec2(resource_type: str) -> Callable[[dict[str, str]], Parameters]:
    """A specification of anything in EC2."""
    return lambda tags: {"TagSpecifications": [{"ResourceType": resource_type, **pairs(tags)}]}
