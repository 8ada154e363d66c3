"""What principals that do not administer a cluster may do in it, as plain data."""

from dataclasses import dataclass
from typing import Literal

AccessPolicy = Literal["view", "adminView", "edit", "admin"]


@dataclass(frozen=True, slots=True)
class Access:
    """What a principal that does not administer the cluster may do in it."""

    arn: str
    policy: AccessPolicy
    namespaces: tuple[str, ...]
    """Empty: in all of the cluster."""
