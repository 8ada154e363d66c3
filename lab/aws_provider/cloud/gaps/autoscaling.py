"""The Auto Scaling groups of node groups, which moto does not make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

GROUP = "auto-scaling-groups"


@answers("autoscaling", "DescribeAutoScalingGroups")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Those of node groups; nothing here makes others."""
    wanted = given.get("AutoScalingGroupNames")
    groups = place.store.all(GROUP, place.key(""))
    return {
        "AutoScalingGroups": [
            group for group in groups if not wanted or group["AutoScalingGroupName"] in wanted
        ]
    }
