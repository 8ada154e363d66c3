"""Scheduled actions of Auto Scaling groups."""

from __future__ import annotations

import datetime as dt
from typing import Any

from lab.aws_provider.mapping import mapped
from lab.aws_provider.resource_type import (
    BUILT,
    Description,
    ResourceType,
    Subject,
    Update,
    changed_by,
    first,
    fixed,
    output,
)

_SIZES = {"minSize": "MinSize", "maxSize": "MaxSize", "desiredCapacity": "DesiredCapacity"}
_UNCHANGED = -1


def _sizes(subject: Subject) -> dict[str, Any]:
    """Terraform's provider takes a size that is not given as 0, and -1 as: leave it as it is."""
    given = {api: subject.inputs.get(name, 0) for name, api in _SIZES.items()}
    return {api: value for api, value in given.items() if value != _UNCHANGED}


def _time(live: Any, given: Any) -> Any:
    if not isinstance(live, dt.datetime):
        return live
    if given and dt.datetime.fromisoformat(given) == live:
        return given
    return live.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _describe(subject: Subject) -> Description | None:
    asked = {
        "AutoScalingGroupName": subject.get("autoscalingGroupName"),
        "ScheduledActionNames": [subject.identifier],
    }
    path = "ScheduledUpdateGroupActions"
    return first(subject, "autoscaling", "DescribeScheduledActions", asked, path)


def _put(subject: Subject, _: set[str]) -> None:
    request = {**mapped(SCHEDULE, subject.inputs), **_sizes(subject)}
    subject.api.call("autoscaling", "PutScheduledUpdateGroupAction", request)


def _delete(subject: Subject) -> None:
    request = {
        "AutoScalingGroupName": subject.get("autoscalingGroupName"),
        "ScheduledActionName": subject.identifier,
    }
    subject.api.call("autoscaling", "DeleteScheduledAction", request)


SCHEDULE = ResourceType(
    pulumi_type="aws:autoscaling/schedule:Schedule",
    service="autoscaling",
    inputs={
        **fixed("autoscalingGroupName", "scheduledActionName"),
        **changed_by("action", *_SIZES, create=BUILT),
        **changed_by("action", "startTime", "endTime", from_live=_time),
        **changed_by("action", "recurrence", "timeZone"),
    },
    create="PutScheduledUpdateGroupAction",
    identify=lambda subject, _: subject["scheduledActionName"],
    describe=_describe,
    delete=_delete,
    also=_sizes,
    updates={"action": Update(_put)},
    outputs={"arn": output("ScheduledActionARN")},
    identity=("autoscalingGroupName", "scheduledActionName"),
    gone=frozenset({"ValidationError"}),
)

TYPES = (SCHEDULE,)
