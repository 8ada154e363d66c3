"""The file system with the model's files, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi


@dataclass(frozen=True, slots=True)
class FileSystem:
    """A file system that exists, as its CSI driver finds it."""

    name: str
    """The PersistentVolume that stands for it has this name."""
    handle: pulumi.Input[str]
    """Id of a Lustre; of an EFS with that of an access point."""
    attributes: pulumi.Input[Mapping[str, pulumi.Input[str]] | None]
    """The driver's own: DNS and mount name of a Lustre; empty where the handle says it all."""
    is_lustre: bool
    """Else an EFS."""
    ready: Sequence[pulumi.Resource] = ()
    """Without these a node cannot mount it."""


def file_system_name(cluster: str) -> str:
    """Return the name of a cluster's Lustre or EFS, and of the PersistentVolume that stands for it."""
    return f"{cluster}-model-cache"
