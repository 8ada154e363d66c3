"""The claim with the model's files, the volume behind it, and the Job that fills or checks it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

import pulumi
from pulumi_kubernetes.batch.v1 import Job, JobSpecArgsDict
from pulumi_kubernetes.core.v1 import (
    CSIPersistentVolumeSourceArgsDict,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpecArgsDict,
    PersistentVolumeSpecArgsDict,
)

from components.options import ALONE, WITH_CONTENT, WITH_PODS, Resources, child, limits
from stacks.plan.cache_plan import ExistingVolume, OwnVolume
from stacks.plan.retention import Keep

# Of a volume and a claim that no driver makes one for; left out, the cluster's default class steps in.
_NO_CLASS = ""


@dataclass(frozen=True, slots=True)
class FileSystem:
    """A file system that exists, as its CSI driver finds it; plain data."""

    name: str
    """The PersistentVolume that stands for it has this name."""
    handle: pulumi.Input[str]
    """Id of a Lustre; of an EFS with that of an access point. Known once a node can mount it."""
    attributes: pulumi.Input[Mapping[str, pulumi.Input[str]] | None]
    """The driver's own: DNS and mount name of a Lustre; empty where the handle says it all."""
    is_lustre: bool
    """Else an EFS."""


def file_system_name(cluster: str) -> str:
    """Return the name of a cluster's Lustre or EFS, and of the PersistentVolume that stands for it."""
    return f"{cluster}-model-cache"


class ModelCache(pulumi.ComponentResource):
    """A claim that several nodes mount at once, filled before anything reads it.

    Every reader depends on all of it: on the Job, whose completion the provider waits for, and an own claim.

    Args:
        cache: with the claim to make, or one that is somebody else's.
        job_spec: a Kubernetes JobSpec that is safe to run again: it fills the volume, or checks one that
            exists.
        file_system: what is the volume of an own claim; None: a storage class makes it.
        keep: how an own claim is kept from deletion.
        found_uid: of one that is somebody else's; None where it cannot be told.
        lost: uid of a claim that the state has and the cluster has not -> words for a person whose `up` meets
            it unchanged, because it has refreshed nothing.

    """

    def __init__(
        self,
        name: str,
        cache: OwnVolume | ExistingVolume,
        *,
        claim_name: str,
        namespace: str,
        job_spec: Mapping[str, Any],
        file_system: FileSystem | None = None,
        keep: Keep | None = None,
        found_uid: str | None = None,
        lost: Mapping[str, str] = MappingProxyType({}),
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs: dict[str, Any] = {"namespace": namespace, "claimName": claim_name}
        if isinstance(cache, OwnVolume):
            inputs |= {"storageClassName": cache.class_name, "sizeGib": cache.size_gib}
            if file_system:
                inputs["volumeName"] = file_system.name
        super().__init__("dynamo-stack:components:ModelCache", name, inputs, opts)
        self._name = name
        self._before = depends_on
        self._namespace = namespace
        self._claim_name = claim_name
        made = self._claim(cache, file_system, keep) if isinstance(cache, OwnVolume) else None
        Job(
            f"{name}-download" if made else f"{name}-check",
            metadata={
                "name": cache.job_name,
                "namespace": namespace,
                # A Job that used up its attempts stays failed: without this the next `up` waits for it
                # again, and fails, until somebody deletes it (pulumi-kubernetes 4.32, provider/diff.go).
                "annotations": {"pulumi.com/replaceUnready": "true"},
            },
            spec=cast("JobSpecArgsDict", job_spec),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*depends_on, *([made] if made else [])],
                # A Job that is done says nothing of a claim that was made again after it. A stack of before
                # has no trigger in its state, and the engine replaces nothing for a first one
                # (pulumi/pulumi pkg/resource/deploy/step_generator.go, shouldTriggerReplace).
                replacement_trigger=_uid(made, lost) if made else found_uid,
                # The engine's own replacements come first and then delete: a Job of this name exists.
                delete_before_replace=True,
                custom_timeouts=limits(cache.timeout_seconds, WITH_PODS),
            ),
        )
        self.register_outputs({"claimName": claim_name})

    def _claim(
        self, cache: OwnVolume, file_system: FileSystem | None, keep: Keep | None
    ) -> PersistentVolumeClaim:
        before = list(self._before)
        spec: PersistentVolumeClaimSpecArgsDict = {
            "access_modes": ["ReadWriteOnce" if cache.nodes else "ReadWriteMany"],
            "storage_class_name": cache.class_name,
            "resources": {"requests": {"storage": f"{cache.size_gib}Gi"}},
        }
        if file_system:
            before.append(self._volume(file_system, cache))
            spec["volume_name"] = file_system.name
        return PersistentVolumeClaim(
            f"{self._name}-claim",
            metadata={"name": self._claim_name, "namespace": self._namespace},
            spec=spec,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=before,
                protect=keep is not None,
                retain_on_delete=keep == "retained",
                # Kubernetes lets a claim grow only where its class may, and this one has none. The file
                # system grows, and the volume says so.
                ignore_changes=["spec.resources"] if file_system else None,
                custom_timeouts=pulumi.CustomTimeouts(delete=WITH_CONTENT),
            ),
        )

    def _volume(self, source: FileSystem, cache: OwnVolume) -> PersistentVolume:
        """Bind the file system to this claim and no other; with the claim it goes, its content stays."""
        # kubelet gives the pod's group a volume that has a file system type and may be ReadWriteOnce, where
        # the driver's policy is ReadWriteOnceWithFSType, as FSx's is (kubernetes-sigs/aws-fsx-csi-driver
        # charts/aws-fsx-csi-driver/values.yaml; kubernetes pkg/volume/csi/csi_mounter.go, supportsFSGroup).
        # Without it the root of a new Lustre belongs to root, and the download may not write.
        modes = ["ReadWriteMany", "ReadWriteOnce"] if source.is_lustre else ["ReadWriteMany"]
        driver = "fsx.csi.aws.com" if source.is_lustre else "efs.csi.aws.com"
        csi: CSIPersistentVolumeSourceArgsDict = {"driver": driver, "volume_handle": source.handle}
        if source.is_lustre:
            csi["fs_type"] = "lustre"
        if source.attributes:
            csi["volume_attributes"] = source.attributes
        spec: PersistentVolumeSpecArgsDict = {
            "access_modes": modes,
            "capacity": {"storage": f"{cache.size_gib}Gi"},
            # Any other claim that asked for a shared volume without a class would get this one.
            "claim_ref": {"namespace": self._namespace, "name": self._claim_name},
            "csi": csi,
            "persistent_volume_reclaim_policy": "Retain",
            "storage_class_name": _NO_CLASS,
        }
        if source.is_lustre:
            # Without flock the hub's client cannot lock its files, and ends.
            spec["mount_options"] = ["flock"]
        return PersistentVolume(
            f"{self._name}-volume",
            metadata={"name": source.name},
            spec=spec,
            opts=child(self, self._before, delete=ALONE),
        )


def _uid(claim: PersistentVolumeClaim, lost: Mapping[str, str]) -> pulumi.Output[str | None]:
    """The identity of a claim: another one of the same name has another, and a volume without files.

    Unknown as long as the claim's id is: in a preview that makes the claim, its dry run has a uid that no
    claim will have.
    """

    def uid(known: list[Any]) -> str | None:
        found = known[1].get("uid")
        if found in lost and not pulumi.runtime.is_dry_run():
            raise pulumi.RunError(lost[found])
        return found

    return pulumi.Output.all(claim.id, claim.metadata).apply(uid)
