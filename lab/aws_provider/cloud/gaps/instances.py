"""The instances of node groups, which the lab turns into nodes, and whether there is room for them."""

from __future__ import annotations

import itertools
import uuid
from typing import TYPE_CHECKING

from lab.aws_provider.cloud.place import now
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

INSTANCE = "ec2-instances"
GROUP = "auto-scaling-groups"
RUNNING = {"Code": 16, "Name": "running"}
_ONE_INTERFACE = [{"InterfaceType": "interface"}]
PENDING = "InvalidCapacityReservationState.PendingActivation"
"""The one refusal that ends by itself, when the block's window opens."""
_EXCEEDED = "ReservationCapacityExceeded"


def running(place: Place, scaling_group: str = "") -> list[Document]:
    """Those of one Auto Scaling group, or of all."""
    prefix = place.key(scaling_group, "") if scaling_group else place.key("")
    return [item for item in place.store.all(INSTANCE, prefix) if item["State"] == RUNNING]


def scale(place: Place, node_group: Document, name: str, wanted: int, *, launches: bool) -> list[Document]:
    """Launches or ends instances until there are `wanted`, the newest ending first; says which run."""
    with place.store.changing():
        found = running(place, name)
        for gone in found[wanted:]:
            place.store.delete(INSTANCE, place.key(name, gone["InstanceId"]))
        missing = max(0, wanted - len(found)) if launches else 0
        taken = {item["AmiLaunchIndex"] for item in found}
        free = (number for number in itertools.count() if number not in taken)
        launched = [_launched(place, node_group, name, number) for number in itertools.islice(free, missing)]
        for instance in launched:
            place.store.put(INSTANCE, place.key(name, instance["InstanceId"]), instance)
    return found[:wanted] + launched


def refusal_of_launch(place: Place, node_group: Document, wanted: int) -> Refused | None:
    """EC2's answer to the launch of so many instances for a node group; None where it launches them."""
    target = place.target(place.content(node_group))
    reservation = place.reservation(target)
    if reservation is None or wanted == 0:
        return None
    state, total = reservation["State"], reservation["TotalInstanceCount"]
    if state == "scheduled":
        return Refused(PENDING, f"The Capacity Block {target} is not active yet.")
    if state != "active":
        return Refused(_EXCEEDED, f"The capacity reservation {target} is {state}, not active.")
    if wanted > total:
        return Refused(_EXCEEDED, f"The requested {wanted} instances exceed the {total} of {target}.")
    return None


def refusal_of_exchange(place: Place, node_group: Document) -> Refused | None:
    """EC2's answer to the nodes that shall replace those of a group; None where there is room for them.

    EKS wants the desired size of a group in a Capacity Block at 0 for it
    (https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html). Both of its strategies need
    an instance that the block does not have: DEFAULT launches a new one first, and after MINIMAL has ended an
    old one, EC2 takes several minutes to clean its place
    (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html). What EKS does in those
    minutes is written nowhere; here it gives up.
    """
    target = place.target(place.content(node_group))
    reservation = place.reservation(target)
    is_block = node_group.get("capacityType") == "CAPACITY_BLOCK"
    if not is_block or reservation is None or node_group["scalingConfig"]["desiredSize"] == 0:
        return None
    used = sum(item["CapacityReservationId"] == target for item in running(place))
    total = reservation["TotalInstanceCount"]
    says = (
        f"The {total} instances of {target} are in use, and the place of one that ended is not available yet."
    )
    return Refused(_EXCEEDED, says) if used >= total else refusal_of_launch(place, node_group, 1)


def issue_of(refused: Refused) -> str:
    """The same as EKS tells it in the health of a node group."""
    return (
        f"Could not launch On-Demand Instances. {refused.code} - {refused.message} "
        "Launching EC2 instance failed."
    )


def _launched(place: Place, node_group: Document, scaling_group: str, number: int) -> Document:
    template = place.content(node_group)
    subnet = place.subnet(node_group["subnets"][number % len(node_group["subnets"])])
    return {
        "InstanceId": f"i-{uuid.uuid4().hex[:17]}",
        "InstanceType": template.get("InstanceType") or node_group["instanceTypes"][0],
        "LaunchTime": now(),
        "State": RUNNING,
        # The lowest number that no other instance of the group has.
        "AmiLaunchIndex": number,
        "CapacityReservationId": place.target(template) or None,
        "Placement": {
            "AvailabilityZone": subnet.availability_zone,
            "AvailabilityZoneId": subnet.availability_zone_id,
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
