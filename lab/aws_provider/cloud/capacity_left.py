"""Whether what was reserved has room for the nodes that a node group asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document


def refusal_of_launch(place: Place, template: Document, wanted: int) -> Refused | None:
    """EC2's answer to the launch of so many instances; None where it launches them."""
    specification = template.get("CapacityReservationSpecification") or {}
    target = (specification.get("CapacityReservationTarget") or {}).get("CapacityReservationId")
    reservation = place.reservation(target or "")
    if reservation is None or wanted == 0:
        return None
    if reservation["State"] == "scheduled":
        return Refused(
            "InvalidCapacityReservationState.PendingActivation",
            f"The Capacity Block {target} is not active yet.",
        )
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


def issue_of(refused: Refused) -> str:
    """The same as EKS tells it in the health of a node group."""
    return (
        f"Could not launch On-Demand Instances. {refused.code} - {refused.message} "
        "Launching EC2 instance failed."
    )
