"""Where the files of the model lie, as plain data."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class StorageClass:
    """A class of the cluster, which makes the volume."""

    class_name: str


@dataclass(frozen=True, slots=True)
class Lustre:
    """A file system of FSx for Lustre."""

    zone: str
    """One of the region's own; the nodes that mount it are there too, unless they are in a Local Zone."""
    size_gib: int
    """1200, or a multiple of 2400."""
    throughput: Literal[125, 250, 500, 1000]
    """MB/s a TiB, the tiers of PERSISTENT_2."""
    kind: Literal["fsxLustre"] = "fsxLustre"


@dataclass(frozen=True, slots=True)
class Efs:
    """A file system of EFS, as large as what is in it, with a mount target in each zone of the region."""

    mounted_in: str | None
    """The zone of the mount target that all nodes use, because those in a Local Zone have none of their own;
    None: each node that of its zone."""
    kind: Literal["efs"] = "efs"


@dataclass(frozen=True, slots=True)
class EbsDisk:
    """A gp3 disk in the zone of the node that fills it, which alone mounts it."""

    throughput: int
    """MiB/s."""
    class_name: str = "model-cache"
    kind: Literal["ebs"] = "ebs"


@dataclass(frozen=True, slots=True)
class InstanceStore:
    """A copy on each node's own disks; nothing is made for it."""

    directory: str
    """Every node with workers has it."""
    kind: Literal["instanceStore"] = "instanceStore"


MadeStorage = Lustre | Efs | EbsDisk | InstanceStore
"""What a stack makes, or uses, with a cluster of its own."""


def file_system_name(cluster: str) -> str:
    """Return the name of a cluster's Lustre or EFS, and of the PersistentVolume that stands for it."""
    return f"{cluster}-model-cache"
