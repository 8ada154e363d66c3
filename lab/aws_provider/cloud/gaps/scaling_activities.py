"""What Auto Scaling groups tell of their launches. How instances ended is not among it.

https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-verify-scaling-activity.html
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_ACTIVITY = "scaling-activities"


@answers("autoscaling", "DescribeScalingActivities")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The newest first, all on one page."""
    named = given.get("AutoScalingGroupName")
    found = place.store.all(_ACTIVITY, place.key(named, "") if named else place.key(""))
    return {"Activities": found[::-1]}


def log_launch(place: Place, scaling_group: str, instance: str) -> None:
    """An instance was launched."""
    fields = {"Description": f"Launching a new EC2 instance: {instance}", "StatusCode": "Successful"}
    _log(place, scaling_group, fields)


def log_failure(place: Place, scaling_group: str, message: str) -> None:
    """A launch was refused. The group tries again for as long as that lasts; one activity stands for all."""
    description = f"Launching a new EC2 instance.  Status Reason: {message}"
    _log(
        place,
        scaling_group,
        {"Description": description, "StatusCode": "Failed", "StatusMessage": message},
    )


def forget(place: Place, scaling_group: str) -> None:
    """The group is deleted."""
    for key, _ in place.store.items(_ACTIVITY, place.key(scaling_group, "")):
        place.store.delete(_ACTIVITY, key)


def _log(place: Place, scaling_group: str, fields: dict[str, str]) -> None:
    activity = {
        "ActivityId": str(uuid.uuid4()),
        "AutoScalingGroupName": scaling_group,
        "Cause": "The group has fewer instances than its desired capacity.",
        "StartTime": place.now(),
        "EndTime": place.now(),
        "Progress": 100,
        **fields,
    }
    place.store.put(_ACTIVITY, place.key(scaling_group, activity["ActivityId"]), activity)
