"""The volume with the model's files, as plain data: a file system, and the claim on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.deletion import Keep


@dataclass(frozen=True, slots=True)
class FileSystem:
    """A file system that exists, as its CSI driver finds it."""

    name: str
    """The PersistentVolume that stands for it has this name."""
    driver: str
    handle: pulumi.Input[str]
    attributes: pulumi.Input[Mapping[str, pulumi.Input[str]] | None]
    """The driver's own volume attributes; empty where the handle says it all."""
    fs_type: str | None
    """File system type; None where the file system decides itself who may write."""
    mount_options: Sequence[str] = ()
    ready: Sequence[pulumi.Resource] = ()
    """Without these a node cannot mount it."""


def lustre(
    name: str,
    handle: pulumi.Input[str],
    attributes: pulumi.Input[Mapping[str, pulumi.Input[str]] | None],
    ready: Sequence[pulumi.Resource] = (),
) -> FileSystem:
    """Return an FSx for Lustre file system; the attributes are its DNS and its mount name."""
    # Without flock the hub's client cannot lock its files, and ends.
    return FileSystem(name, "fsx.csi.aws.com", handle, attributes, "lustre", ["flock"], ready)


def efs(
    name: str,
    handle: pulumi.Input[str],
    attributes: pulumi.Input[Mapping[str, pulumi.Input[str]] | None],
    ready: Sequence[pulumi.Resource] = (),
) -> FileSystem:
    """Return an EFS file system by an access point."""
    return FileSystem(name, "efs.csi.aws.com", handle, attributes, None, ready=ready)


def file_system_name(cluster: str) -> str:
    """Return the name of a cluster's Lustre or EFS, and of the PersistentVolume that stands for it."""
    return f"{cluster}-model-cache"


@dataclass(frozen=True, slots=True)
class LostClaim:
    """A claim that the state has and the cluster has not."""

    uid: str
    words: str
    """For a person whose `up` meets it unchanged, because it has refreshed nothing."""


@dataclass(frozen=True, slots=True)
class OwnClaim:
    """A claim that the stack makes."""

    storage: str | FileSystem
    """The class that makes its volume, or the file system that is its volume."""
    size_gib: int
    keep: Keep
    one_node: bool = False
    """All pods that mount it are on one node, which is all that a disk can do."""
    lost: LostClaim | None = None
