"""Tags: how many, and whose (https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_MOST = 50

_EC2 = (
    "CreateVpc",
    "CreateSubnet",
    "CreateSecurityGroup",
    "CreateLaunchTemplate",
    "CreatePlacementGroup",
    "CreateRouteTable",
    "CreateNatGateway",
    "CreateInternetGateway",
    "CreateVpcEndpoint",
)


@refuses("eks", "CreateCluster", "CreateNodegroup", "CreateAddon", "CreateAccessEntry", "TagResource")
def too_many_of_eks(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """50 tags at most, none of AWS's own."""
    _check(given.get("tags", {}), "InvalidParameterException")


@refuses("ec2", *_EC2)
def too_many_of_ec2(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """50 tags at most, none of AWS's own."""
    for specification in given.get("TagSpecifications", []):
        tags = {tag["Key"]: tag.get("Value", "") for tag in specification.get("Tags", [])}
        _check(tags, "TagLimitExceeded" if len(tags) > _MOST else "InvalidParameterValue")


def _check(tags: dict[str, str], code: str) -> None:
    if len(tags) > _MOST:
        raise Refused(code, f"The maximum number of tags for a resource is {_MOST}; {len(tags)} were given.")
    for key in tags:
        if key.startswith("aws:"):
            raise Refused(
                code, f"Tag keys starting with 'aws:' are reserved for internal use; '{key}' was given."
            )
