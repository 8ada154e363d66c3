"""Scheduled actions (https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutScheduledUpdateGroupAction.html)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.autoscaling import GROUP
from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place


@refuses("autoscaling", "PutScheduledUpdateGroupAction")
def scheduled_action(place: Place, given: dict[str, Any]) -> None:
    """A group that exists, a time to come, sizes in order, and something to change."""
    name = given["AutoScalingGroupName"]
    if place.store.get(GROUP, place.key(name)) is None:
        raise Refused("ValidationError", f"AutoScalingGroup name not found - {name}")
    start, end = given.get("StartTime"), given.get("EndTime")
    if start is None and not given.get("Recurrence"):
        raise Refused("ValidationError", "Either a start time or a recurrence must be given")
    if start is not None and start < place.now():
        raise Refused("ValidationError", f"Given start time {start.isoformat()}Z is in the past")
    if start is not None and end is not None and end <= start:
        raise Refused("ValidationError", "Given end time is not after the start time")
    sizes = [given[key] for key in ("MinSize", "DesiredCapacity", "MaxSize") if key in given]
    if not sizes:
        raise Refused("ValidationError", "At least one of MinSize, MaxSize, DesiredCapacity must be given")
    if sizes != sorted(sizes):
        raise Refused("ValidationError", "MinSize <= DesiredCapacity <= MaxSize must hold")
