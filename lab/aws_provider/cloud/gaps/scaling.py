"""Auto Scaling groups of node groups: what is asked of them, and what happens when its time has come.

https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-scheduled-scaling.html,
https://docs.aws.amazon.com/autoscaling/ec2/userguide/replace-unhealthy-instance.html,
https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html,
https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html,
https://docs.aws.amazon.com/eks/latest/userguide/ml-node-groups.html
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP
from lab.aws_provider.cloud.gaps.eks_node_groups import scaling_group_of, write_scaling_group
from lab.aws_provider.cloud.gaps.instances import GROUP, INSTANCE, RUNNING
from lab.aws_provider.cloud.place import Place
from lab.aws_provider.cloud.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.settings import Settings
    from lab.aws_provider.cloud.store import Document, Store

_TERMINATED = {"Code": 48, "Name": "terminated"}
_DRAINED_BEFORE = dt.timedelta(minutes=40)


@answers("autoscaling", "DescribeAutoScalingGroups")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Those of node groups; nothing here makes others."""
    wanted = given.get("AutoScalingGroupNames")
    groups = place.store.all(GROUP, place.key(""))
    return {
        "AutoScalingGroups": [each for each in groups if not wanted or each["AutoScalingGroupName"] in wanted]
    }


@answers("ec2", "TerminateInstances")
def terminate(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Instances of node groups end at once; their group launches others, as it does for a failed machine.

    EC2 goes on describing a terminated instance for about an hour, which is how others learn of it.
    """
    found = {
        instance["InstanceId"]: (key, instance)
        for key, instance in place.store.items(INSTANCE, place.key(""))
    }
    for identifier in given["InstanceIds"]:
        key, instance = found[identifier]
        place.store.put(INSTANCE, key, instance | {"State": _TERMINATED})
        _catch_up(place, key.split("/")[1])
    ended = {"CurrentState": _TERMINATED, "PreviousState": RUNNING}
    return {"TerminatingInstances": [{"InstanceId": each, **ended} for each in given["InstanceIds"]]}


@answers("autoscaling", "SuspendProcesses")
def suspend(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """What the group does not do until it is resumed; only Launch means anything here."""
    return _set_suspended(place, given["AutoScalingGroupName"], given["ScalingProcesses"])


@answers("autoscaling", "ResumeProcesses")
def resume(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The group catches up with what it did not do."""
    _set_suspended(place, given["AutoScalingGroupName"], [])
    _catch_up(place, given["AutoScalingGroupName"])
    return {}


def pass_time(store: Store, settings: Settings) -> None:
    """Does everything whose time has come, in all regions."""
    with store.lock:
        for key, group in store.items(GROUP):
            place = Place(key.split("/")[0], store, settings)
            node_group = _node_group(place, group["AutoScalingGroupName"])
            if node_group is not None:
                _launch_what_waited(place, node_group)
                _take_actions(place, node_group)
                _drain(place, node_group)


def _set_suspended(place: Place, name: str, processes: list[str]) -> dict[str, Any]:
    group = place.store.get(GROUP, place.key(name)) or {}
    listed = [{"ProcessName": each, "SuspensionReason": "User suspended"} for each in processes]
    place.store.put(GROUP, place.key(name), group | {"SuspendedProcesses": listed})
    return {}


def _launch_what_waited(place: Place, node_group: Document) -> None:
    """Auto Scaling goes on trying; EKS leaves a group that failed when it was made as it is."""
    waits = node_group["status"] == "ACTIVE" and node_group["health"]["issues"]
    if waits and (_block(place, node_group) or {}).get("State") == "active":
        write_scaling_group(place, node_group)


def _take_actions(place: Place, node_group: Document) -> None:
    """One-time actions, which are gone when they are done; EC2 goes on trying where nothing can start yet."""
    block = _block(place, node_group)
    if block is not None and block["State"] != "active":
        return
    actions, name = place.moto("autoscaling"), scaling_group_of(node_group)
    for action in actions.describe_scheduled_actions(name):
        if _time(action.start_time) <= place.settings.now():
            sizes = {"minSize": action.min_size, "maxSize": action.max_size}
            sizes["desiredSize"] = action.desired_capacity
            _resize(place, node_group, {key: int(size) for key, size in sizes.items() if size is not None})
            actions.delete_scheduled_action(name, action.scheduled_action_name)


def _drain(place: Place, node_group: Document) -> None:
    block = _block(place, node_group) or {}
    is_block = block.get("ReservationType") == "capacity-block"
    if is_block and place.settings.now() >= _time(block["EndDate"]) - _DRAINED_BEFORE:
        _resize(place, node_group, {"minSize": 0, "desiredSize": 0})


def _resize(place: Place, node_group: Document, sizes: dict[str, int]) -> None:
    if node_group["scalingConfig"] | sizes != node_group["scalingConfig"]:
        node_group["scalingConfig"] |= sizes
        write_scaling_group(place, node_group)


def _catch_up(place: Place, scaling_group: str) -> None:
    node_group = _node_group(place, scaling_group)
    if node_group is not None:
        write_scaling_group(place, node_group)


def _node_group(place: Place, scaling_group: str) -> Document | None:
    found = (each for each in NODE_GROUP.all(place) if scaling_group_of(each) == scaling_group)
    return next(found, None)


def _block(place: Place, node_group: Document) -> Document | None:
    return place.reservation(place.target(place.content(node_group)))


def _time(value: Any) -> dt.datetime:
    moment = value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(value)
    return moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment
