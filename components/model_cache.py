"""The claim with the model's files, the volume behind it, and the Job that fills or checks it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import pulumi
from pulumi_kubernetes.batch.v1 import Job
from pulumi_kubernetes.core.v1 import PersistentVolume, PersistentVolumeClaim

from components import deletion
from components.model_volume import FileSystem, LostClaim, OwnClaim
from components.options import Resources, child, limits

if TYPE_CHECKING:
    from pulumi_kubernetes.batch.v1 import JobSpecArgsDict
    from pulumi_kubernetes.core.v1 import (
        CSIPersistentVolumeSourceArgsDict,
        PersistentVolumeClaimSpecArgsDict,
        PersistentVolumeSpecArgsDict,
    )

# Of a volume and a claim that no driver makes one for; left out, the cluster's default class steps in.
_NO_CLASS = ""


class ModelCache(pulumi.ComponentResource):
    """A claim that several nodes mount at once, filled before anything reads it.

    Every reader depends on all of it: on the Job, whose completion the provider waits for, and an own claim.

    Args:
        claim: to make; None where it is somebody else's.
        found_uid: of one that is somebody else's; None where it cannot be told.
        job_spec: a Kubernetes JobSpec that is safe to run again: it fills the volume, or checks one that
            exists.

    """

    def __init__(
        self,
        name: str,
        claim: OwnClaim | None,
        *,
        namespace: str,
        claim_name: str,
        job_name: str,
        job_spec: Mapping[str, Any],
        job_timeout_seconds: int,
        found_uid: str | None = None,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs: dict[str, Any] = {"namespace": namespace, "claimName": claim_name}
        if claim:
            inputs |= {"storageClassName": _class_name(claim), "sizeGib": claim.size_gib}
            if isinstance(claim.storage, FileSystem):
                inputs["volumeName"] = claim.storage.name
        super().__init__("dynamo-stack:components:ModelCache", name, inputs, opts)
        self._name = name
        self._before = depends_on
        self._namespace = namespace
        self._claim_name = claim_name
        made = self._claim(claim) if claim else None
        Job(
            f"{name}-download" if claim else f"{name}-check",
            metadata={
                "name": job_name,
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
                replacement_trigger=_uid(made, claim.lost) if made and claim else found_uid,
                # The engine's own replacements come first and then delete: a Job of this name exists.
                delete_before_replace=True,
                custom_timeouts=limits(job_timeout_seconds, deletion.WITH_PODS),
            ),
        )
        self.register_outputs({"claimName": claim_name})

    def _claim(self, claim: OwnClaim) -> PersistentVolumeClaim:
        before = list(self._before)
        spec: PersistentVolumeClaimSpecArgsDict = {
            "access_modes": ["ReadWriteOnce" if claim.one_node else "ReadWriteMany"],
            "storage_class_name": _class_name(claim),
            "resources": {"requests": {"storage": f"{claim.size_gib}Gi"}},
        }
        if isinstance(claim.storage, FileSystem):
            before.append(self._volume(claim.storage, claim.size_gib))
            spec["volume_name"] = claim.storage.name
        return PersistentVolumeClaim(
            f"{self._name}-claim",
            metadata={"name": self._claim_name, "namespace": self._namespace},
            spec=spec,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=before,
                protect=claim.keep.protects,
                retain_on_delete=claim.keep.retains,
                # Kubernetes lets a claim grow only where its class may, and this one has none. The file
                # system grows, and the volume says so.
                ignore_changes=["spec.resources"] if isinstance(claim.storage, FileSystem) else None,
                custom_timeouts=pulumi.CustomTimeouts(delete=deletion.WITH_CONTENT),
            ),
        )

    def _volume(self, source: FileSystem, size_gib: int) -> PersistentVolume:
        """Bind the file system to this claim and no other; with the claim it goes, its content stays."""
        # kubelet gives the pod's group a volume that has a file system type and may be ReadWriteOnce, where
        # the driver's policy is ReadWriteOnceWithFSType, as FSx's is (kubernetes-sigs/aws-fsx-csi-driver
        # charts/aws-fsx-csi-driver/values.yaml; kubernetes pkg/volume/csi/csi_mounter.go, supportsFSGroup).
        # Without it the root of a new Lustre belongs to root, and the download may not write.
        modes = ["ReadWriteMany", "ReadWriteOnce"] if source.fs_type else ["ReadWriteMany"]
        csi: CSIPersistentVolumeSourceArgsDict = {"driver": source.driver, "volume_handle": source.handle}
        if source.fs_type:
            csi["fs_type"] = source.fs_type
        if source.attributes:
            csi["volume_attributes"] = source.attributes
        spec: PersistentVolumeSpecArgsDict = {
            "access_modes": modes,
            "capacity": {"storage": f"{size_gib}Gi"},
            # Any other claim that asked for a shared volume without a class would get this one.
            "claim_ref": {"namespace": self._namespace, "name": self._claim_name},
            "csi": csi,
            "persistent_volume_reclaim_policy": "Retain",
            "storage_class_name": _NO_CLASS,
        }
        if source.mount_options:
            spec["mount_options"] = list(source.mount_options)
        return PersistentVolume(
            f"{self._name}-volume",
            metadata={"name": source.name},
            spec=spec,
            opts=child(self, [*self._before, *source.ready], delete=deletion.ALONE),
        )


def _class_name(claim: OwnClaim) -> str:
    return _NO_CLASS if isinstance(claim.storage, FileSystem) else claim.storage


def _uid(claim: PersistentVolumeClaim, lost: LostClaim | None) -> pulumi.Output[str | None]:
    """The identity of a claim: another one of the same name has another, and a volume without files.

    Unknown as long as the claim's id is: in a preview that makes the claim, its dry run has a uid that no
    claim will have.
    """

    def uid(known: list[Any]) -> str | None:
        found = known[1].get("uid")
        if lost and found == lost.uid and not pulumi.runtime.is_dry_run():
            raise pulumi.RunError(lost.words)
        return found

    return pulumi.Output.all(claim.id, claim.metadata).apply(uid)
