"""A PersistentVolume for a file system that exists, bound to one claim and to no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pulumi
from pulumi_kubernetes.core.v1 import PersistentVolume

from components import delete_timeouts

if TYPE_CHECKING:
    from pulumi_kubernetes.core.v1 import PersistentVolumeSpecArgsDict

LUSTRE_DRIVER = "fsx.csi.aws.com"
EFS_DRIVER = "efs.csi.aws.com"

NO_CLASS = ""
"""Of a volume and a claim that no driver makes one for; left out, the cluster's default class steps in."""


@dataclass(frozen=True, slots=True)
class FileSystem:
    """A file system as its CSI driver finds it."""

    driver: str
    handle: pulumi.Input[str]
    attributes: pulumi.Input[Mapping[str, pulumi.Input[str]] | None]
    """The driver's own volume attributes; empty where the handle says it all."""
    fs_type: str | None
    """None where the file system decides itself who may write."""
    mount_options: Sequence[str] = ()
    ready: Sequence[pulumi.Resource] = ()
    """Without these a node cannot mount it."""


def lustre(
    handle: pulumi.Input[str],
    attributes: pulumi.Input[Mapping[str, pulumi.Input[str]] | None],
    ready: Sequence[pulumi.Resource] = (),
) -> FileSystem:
    """Return an FSx for Lustre file system; the attributes are its DNS and its mount name."""
    # Without flock the hub's client cannot lock its files, and ends.
    return FileSystem(LUSTRE_DRIVER, handle, attributes, "lustre", ["flock"], ready)


def efs(
    handle: pulumi.Input[str],
    attributes: pulumi.Input[Mapping[str, pulumi.Input[str]] | None],
    ready: Sequence[pulumi.Resource] = (),
) -> FileSystem:
    """Return an EFS file system by an access point."""
    return FileSystem(EFS_DRIVER, handle, attributes, None, ready=ready)


@dataclass(frozen=True, slots=True)
class VolumeClaim:
    """Who gets the volume."""

    volume: str
    namespace: str
    name: str
    size_gib: int


def file_system_volume(
    logical_name: str, claim: VolumeClaim, source: FileSystem, opts: pulumi.ResourceOptions
) -> PersistentVolume:
    """Register the volume; with the claim it goes, and the file system with all in it stays."""
    # kubelet gives the pod's group a volume that has a file system type and may be ReadWriteOnce, where the
    # driver's policy is ReadWriteOnceWithFSType, as FSx's is (kubernetes-sigs/aws-fsx-csi-driver
    # charts/aws-fsx-csi-driver/values.yaml; kubernetes pkg/volume/csi/csi_mounter.go, supportsFSGroup).
    # Without it the root of a new Lustre belongs to root, and the download may not write.
    modes = ["ReadWriteMany", "ReadWriteOnce"] if source.fs_type else ["ReadWriteMany"]
    csi: dict[str, Any] = {"driver": source.driver, "volume_handle": source.handle}
    if source.fs_type:
        csi["fs_type"] = source.fs_type
    if source.attributes:
        csi["volume_attributes"] = source.attributes
    spec: dict[str, Any] = {
        "access_modes": modes,
        "capacity": {"storage": f"{claim.size_gib}Gi"},
        # Any other claim that asked for a shared volume without a class would get this one.
        "claim_ref": {"namespace": claim.namespace, "name": claim.name},
        "csi": csi,
        "persistent_volume_reclaim_policy": "Retain",
        "storage_class_name": NO_CLASS,
    }
    if source.mount_options:
        spec["mount_options"] = list(source.mount_options)
    return PersistentVolume(
        logical_name,
        metadata={"name": claim.volume},
        spec=cast("PersistentVolumeSpecArgsDict", spec),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                depends_on=list(source.ready),
                custom_timeouts=pulumi.CustomTimeouts(delete=delete_timeouts.ALONE),
            ),
        ),
    )
