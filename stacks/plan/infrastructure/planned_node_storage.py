"""What is made of a model cache that only some nodes have, as plain data."""

from dataclasses import dataclass
from typing import Literal

CACHE_CLASS = "model-cache"
"""The storage class of the disk."""


@dataclass(frozen=True, slots=True)
class PlannedEbs:
    """A claim becomes a gp3 disk in the zone of the node that fills it."""

    throughput: int
    """MiB/s."""
    class_name: str = CACHE_CLASS
    kind: Literal["ebs"] = "ebs"


@dataclass(frozen=True, slots=True)
class PlannedInstanceStore:
    """Nothing is made: the nodes have their disks."""

    kind: Literal["instanceStore"] = "instanceStore"
