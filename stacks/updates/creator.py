"""Who made the cluster of a stack, and administers it: told by the state, from the second run on.

Whoever runs `up` later may be somebody else, such as a CI; the entry stays with the one who made the cluster.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stacks.updates.nested import mapping_in


@dataclass(frozen=True, slots=True)
class Creator:
    """What is known of whoever made the cluster."""

    arn: str | None = None
    """Of the IAM role or user; None: no entry of theirs is in the state."""
    entered_by_eks: bool = False
    """EKS itself made the entry with the cluster; it stands in no state."""
    makes_it_now: bool = False
    """It is whoever runs this."""


UNKNOWN_CREATOR = Creator()
"""Nobody can be asked: the program runs without an account."""


def creator_of(cluster: Mapping[str, Any] | None, entry: Mapping[str, Any] | None) -> Creator:
    """Return who made the cluster.

    Args:
        cluster: outputs of the cluster; None where there is none.
        entry: outputs of the entry of whoever made it; None where there is none.

    """
    if entry is not None:
        return Creator(arn=str(entry.get("principalArn")))
    access = mapping_in(cluster, "accessConfig")
    if access.get("bootstrapClusterCreatorAdminPermissions"):
        return Creator(entered_by_eks=True)
    return Creator(makes_it_now=True)
