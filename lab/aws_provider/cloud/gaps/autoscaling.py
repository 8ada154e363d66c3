"""The Auto Scaling groups of node groups, which moto does not make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.ec2_instances import SUSPENDED
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
            group | {"SuspendedProcesses": _suspended(place, group["AutoScalingGroupName"])}
            for group in groups
            if not wanted or group["AutoScalingGroupName"] in wanted
        ]
    }


def _suspended(place: Place, name: str) -> list[dict[str, str]]:
    names = place.store.get(SUSPENDED, place.key(name)) or {}
    return [{"ProcessName": process, "SuspensionReason": "User suspended"} for process in names]
