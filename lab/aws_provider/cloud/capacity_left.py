"""Whether what was reserved has room for the nodes that a node group asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.aws_provider.cloud.gaps.ec2_instances import INSTANCE
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document


PENDING = "InvalidCapacityReservationState.PendingActivation"
"""The one refusal that ends by itself, when the block's window opens."""


def refusal_of_launch(place: Place, template: Document, wanted: int) -> Refused | None:
    """EC2's answer to the launch of so many instances; None where it launches them."""
    specification = template.get("CapacityReservationSpecification") or {}
    target = (specification.get("CapacityReservationTarget") or {}).get("CapacityReservationId")
    reservation = place.reservation(target or "")
    if reservation is None or wanted == 0:
        return None
    if reservation["State"] == "scheduled":
        return Refused(PENDING, f"The Capacity Block {target} is not active yet.")
    if reservation["State"] != "active":
        return Refused(
            "ReservationCapacityExceeded",
            f"The capacity reservation {target} is {reservation['State']}, not active.",
        )
    if wanted > reservation["TotalInstanceCount"]:
        return Refused(
            "ReservationCapacityExceeded",
            f"The requested {wanted} instances exceed the {reservation['TotalInstanceCount']} of {target}.",
        )
    return None


def refusal_of_exchange(place: Place, node_group: Document, template: Document) -> Refused | None:
    """EC2's answer to the nodes that shall replace those of a group; None where there is room for them.

    EKS wants the desired size of a group in a Capacity Block at 0 for it
    (https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html). Both of its strategies need
    an instance that the block does not have: DEFAULT launches a new one first, and after MINIMAL has ended an
    old one, EC2 takes several minutes to clean its place
    (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html). What EKS does in those
    minutes is written nowhere; here it gives up.
    """
    specification = template.get("CapacityReservationSpecification") or {}
    target = (specification.get("CapacityReservationTarget") or {}).get("CapacityReservationId")
    reservation = place.reservation(target or "")
    size = node_group["scalingConfig"]["desiredSize"]
    if node_group.get("capacityType") != "CAPACITY_BLOCK" or reservation is None or size == 0:
        return None
    running = [
        item for item in place.store.all(INSTANCE, place.key("")) if item["State"]["Name"] == "running"
    ]
    used = sum(item["CapacityReservationId"] == target for item in running)
    if used < reservation["TotalInstanceCount"]:
        return None
    return Refused(
        "ReservationCapacityExceeded",
        f"The {reservation['TotalInstanceCount']} instances of {target} are in use, and the place of one "
        "that was terminated is not available yet.",
    )


def issue_of(refused: Refused) -> str:
    """The same as EKS tells it in the health of a node group."""
    return (
        f"Could not launch On-Demand Instances. {refused.code} - {refused.message} "
        "Launching EC2 instance failed."
    )
