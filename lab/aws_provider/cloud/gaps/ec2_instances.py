"""The instances of node groups, as EC2 describes them: documents that the lab turns into nodes."""

from __future__ import annotations

import itertools
import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps import scaling_activities
from lab.aws_provider.cloud.gaps.eks_documents import now

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

INSTANCE = "ec2-instances"
SUSPENDED = "suspended-processes"
"""Of Auto Scaling groups: the names of what each of them does not do for now."""

_RUNNING = {"Code": 16, "Name": "running"}
_TERMINATED = {"Code": 48, "Name": "terminated"}
_ONE_INTERFACE = [{"InterfaceType": "interface"}]


def scale(
    place: Place, node_group: Document, scaling_group: str, wanted: int, *, refused: bool = False
) -> list[Document]:
    """Launches or ends instances until there are `wanted`, the newest ending first; returns those that run.

    Nothing is launched where EC2 refuses it, or while the group's process Launch is suspended.
    """
    prefix = place.key(scaling_group, "")
    with place.store.changing():
        found = [item for item in place.store.all(INSTANCE, prefix) if item["State"] == _RUNNING]
        for gone in found[wanted:]:
            place.store.delete(INSTANCE, prefix + gone["InstanceId"])
        suspended = place.store.get(SUSPENDED, place.key(scaling_group)) or {}
        missing = 0 if refused or "Launch" in suspended else max(0, wanted - len(found))
        taken = {item["AmiLaunchIndex"] for item in found}
        free = (number for number in itertools.count() if number not in taken)
        launched = [
            _launched(place, node_group, scaling_group, number) for number in itertools.islice(free, missing)
        ]
        for instance in launched:
            place.store.put(INSTANCE, prefix + instance["InstanceId"], instance)
            scaling_activities.log_launch(place, scaling_group, instance["InstanceId"])
    return found[:wanted] + launched


def terminate(place: Place, identifiers: list[str]) -> dict[str, str]:
    """Ends these running instances; returns their Auto Scaling groups. What is unknown is not in it.

    EC2 goes on describing a terminated instance for about an hour, which is how others learn of it.
    """
    groups: dict[str, str] = {}
    with place.store.changing():
        for key, instance in place.store.items(INSTANCE, place.key("")):
            if instance["InstanceId"] in identifiers:
                place.store.put(INSTANCE, key, instance | {"State": _TERMINATED})
                groups[instance["InstanceId"]] = key.split("/")[1]
    return groups


def _launched(place: Place, node_group: Document, scaling_group: str, number: int) -> Document:
    template = _template(place, node_group)
    subnet = place.subnet(node_group["subnets"][number % len(node_group["subnets"])])
    zone = subnet.availability_zone  # pyright: ignore[reportOptionalMemberAccess] - a rule has looked
    described = place.zone(zone)
    target = _at(template, "CapacityReservationSpecification", "CapacityReservationTarget")
    return {
        "InstanceId": f"i-{uuid.uuid4().hex[:17]}",
        "InstanceType": template.get("InstanceType") or node_group["instanceTypes"][0],
        "LaunchTime": now(),
        "State": _RUNNING,
        # The lowest number that no other instance of the group has.
        "AmiLaunchIndex": number,
        "CapacityReservationId": target.get("CapacityReservationId"),
        "Placement": {
            "AvailabilityZone": zone,
            "AvailabilityZoneId": described.zone_id if described else None,
        },
        "NetworkInterfaces": [
            {"InterfaceType": item.get("InterfaceType") or "interface"}
            for item in template.get("NetworkInterfaces") or _ONE_INTERFACE
        ],
        "Tags": [
            {"Key": "aws:autoscaling:groupName", "Value": scaling_group},
            {"Key": "eks:cluster-name", "Value": node_group["clusterName"]},
            {"Key": "eks:nodegroup-name", "Value": node_group["nodegroupName"]},
        ],
    }


def _at(document: dict[str, Any], *keys: str) -> dict[str, Any]:
    for key in keys:
        document = document.get(key) or {}
    return document


def _template(place: Place, node_group: Document) -> dict[str, Any]:
    if "launchTemplate" not in node_group:
        return {}
    return place.launch_template_data(node_group["launchTemplate"]) or {}
