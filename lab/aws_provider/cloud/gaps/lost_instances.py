"""Instances that end by themselves, and what their Auto Scaling group does about it.

https://docs.aws.amazon.com/autoscaling/ec2/userguide/replace-unhealthy-instance.html,
https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps import ec2_instances
from lab.aws_provider.cloud.gaps.autoscaling import GROUP
from lab.aws_provider.cloud.gaps.eks_documents import NODE_GROUP
from lab.aws_provider.cloud.gaps.eks_node_groups import write_scaling_group
from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_ALL_PROCESSES = ("Launch", "Terminate", "HealthCheck", "ReplaceUnhealthy", "AZRebalance", "ScheduledActions")
_RUNNING, _TERMINATED = {"Code": 16, "Name": "running"}, {"Code": 48, "Name": "terminated"}


@answers("ec2", "TerminateInstances")
def terminate(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Instances of node groups end at once; their group launches others, as it does for a failed machine."""
    identifiers = given["InstanceIds"]
    groups = ec2_instances.terminate(place, identifiers)
    unknown = [each for each in identifiers if each not in groups]
    if unknown:
        raise Refused("InvalidInstanceID.NotFound", f"The instance IDs '{', '.join(unknown)}' do not exist")
    for name in sorted(set(groups.values())):
        _replace_missing(place, name)
    return {
        "TerminatingInstances": [
            {"InstanceId": each, "CurrentState": _TERMINATED, "PreviousState": _RUNNING}
            for each in identifiers
        ]
    }


@answers("autoscaling", "SuspendProcesses")
def suspend(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """What the group does not do until it is resumed; only Launch means anything here."""
    name = _known(place, given)
    suspended = place.store.get(ec2_instances.SUSPENDED, place.key(name)) or {}
    named = dict.fromkeys(given.get("ScalingProcesses") or _ALL_PROCESSES, True)
    place.store.put(ec2_instances.SUSPENDED, place.key(name), suspended | named)
    return {}


@answers("autoscaling", "ResumeProcesses")
def resume(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The group catches up with what it did not do."""
    name = _known(place, given)
    named = given.get("ScalingProcesses") or _ALL_PROCESSES
    suspended = place.store.get(ec2_instances.SUSPENDED, place.key(name)) or {}
    left = {process: True for process in suspended if process not in named}
    place.store.put(ec2_instances.SUSPENDED, place.key(name), left)
    _replace_missing(place, name)
    return {}


def _known(place: Place, given: dict[str, Any]) -> str:
    name = given["AutoScalingGroupName"]
    if place.store.get(GROUP, place.key(name)) is None:
        raise Refused("ValidationError", f"AutoScalingGroup name not found - {name}")
    return name


def _replace_missing(place: Place, scaling_group: str) -> None:
    for node_group in place.store.all(NODE_GROUP, place.key("")):
        if node_group["resources"]["autoScalingGroups"][0]["name"] == scaling_group:
            write_scaling_group(place, node_group)
