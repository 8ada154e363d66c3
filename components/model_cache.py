"""The claim with the model's files, the volume behind it, and the Job that fills or checks it."""

from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.batch.v1 import Job
from pulumi_kubernetes.core.v1 import PersistentVolume, PersistentVolumeClaim

from components import removal
from components.model_volume import FileSystem, FoundClaim, LostClaim, OwnClaim
from components.options import Resources, child, limits

# Of a volume and a claim that no driver makes one for; left out, the cluster's default class steps in.
_NO_CLASS = ""


@dataclass(frozen=True, slots=True)
class ModelCacheArgs:
    """Inputs of `ModelCache`."""

    namespace: str
    claim_name: str
    claim: OwnClaim | FoundClaim
    job_name: str
    job_spec: Any
    """A Kubernetes JobSpec that is safe to run again: it fills the volume, or checks one that exists."""
    job_timeout_seconds: int


class ModelCache(pulumi.ComponentResource):
    """A claim that several nodes mount at once, filled before anything reads it."""

    made: tuple[pulumi.Resource, ...]
    """What every reader depends on: the Job, whose completion the provider waits for, and an own claim."""

    def __init__(
        self, name: str, args: ModelCacheArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        inputs: dict[str, Any] = {"namespace": args.namespace, "claimName": args.claim_name}
        if isinstance(args.claim, OwnClaim):
            inputs |= {"storageClassName": _class_name(args.claim), "sizeGib": args.claim.size_gib}
            if isinstance(args.claim.storage, FileSystem):
                inputs["volumeName"] = args.claim.storage.name
        super().__init__("dynamo-stack:components:ModelCache", name, inputs, opts)
        self._name, self._args, self._before = name, args, depends_on
        if isinstance(args.claim, OwnClaim):
            claim = self._claim(args.claim)
            job = self._job("download", [*depends_on, claim], _uid(claim, args.claim.lost))
            self.made = (job, claim)
        else:
            self.made = (self._job("check", depends_on, args.claim.uid),)
        self.register_outputs({"claimName": args.claim_name})

    def _job(self, what: str, depends_on: Resources, claim_uid: pulumi.Input[str | None]) -> Job:
        args = self._args
        return Job(
            f"{self._name}-{what}",
            metadata={
                "name": args.job_name,
                "namespace": args.namespace,
                # A Job that used up its attempts stays failed: without this the next `up` waits for it
                # again, and fails, until somebody deletes it (pulumi-kubernetes 4.32, provider/diff.go).
                "annotations": {"pulumi.com/replaceUnready": "true"},
            },
            spec=args.job_spec,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=depends_on,
                # A Job that is done says nothing of a claim that was made again after it. A stack of before
                # has no trigger in its state, and the engine replaces nothing for a first one
                # (pulumi/pulumi pkg/resource/deploy/step_generator.go, shouldTriggerReplace).
                replacement_trigger=claim_uid,
                # The engine's own replacements come first and then delete: a Job of this name exists.
                delete_before_replace=True,
                custom_timeouts=limits(args.job_timeout_seconds, removal.WITH_PODS),
            ),
        )

    def _claim(self, claim: OwnClaim) -> PersistentVolumeClaim:
        args, before = self._args, list(self._before)
        spec: Any = {
            "access_modes": ["ReadWriteOnce" if claim.one_node else "ReadWriteMany"],
            "storage_class_name": _class_name(claim),
            "resources": {"requests": {"storage": f"{claim.size_gib}Gi"}},
        }
        if isinstance(claim.storage, FileSystem):
            before.append(self._volume(claim.storage, claim.size_gib))
            spec["volume_name"] = claim.storage.name
        return PersistentVolumeClaim(
            f"{self._name}-claim",
            metadata={"name": args.claim_name, "namespace": args.namespace},
            spec=spec,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=before,
                protect=claim.keep.protects,
                retain_on_delete=claim.keep.retains,
                # Kubernetes lets a claim grow only where its class may, and this one has none. The file
                # system grows, and the volume says so.
                ignore_changes=["spec.resources"] if isinstance(claim.storage, FileSystem) else None,
                custom_timeouts=pulumi.CustomTimeouts(delete=removal.WITH_CONTENT),
            ),
        )

    def _volume(self, source: FileSystem, size_gib: int) -> PersistentVolume:
        """Bind the file system to this claim and no other; with the claim it goes, its content stays."""
        args = self._args
        # kubelet gives the pod's group a volume that has a file system type and may be ReadWriteOnce, where
        # the driver's policy is ReadWriteOnceWithFSType, as FSx's is (kubernetes-sigs/aws-fsx-csi-driver
        # charts/aws-fsx-csi-driver/values.yaml; kubernetes pkg/volume/csi/csi_mounter.go, supportsFSGroup).
        # Without it the root of a new Lustre belongs to root, and the download may not write.
        modes = ["ReadWriteMany", "ReadWriteOnce"] if source.fs_type else ["ReadWriteMany"]
        csi: dict[str, Any] = {"driver": source.driver, "volume_handle": source.handle}
        if source.fs_type:
            csi["fs_type"] = source.fs_type
        if source.attributes:
            csi["volume_attributes"] = source.attributes
        spec: Any = {
            "access_modes": modes,
            "capacity": {"storage": f"{size_gib}Gi"},
            # Any other claim that asked for a shared volume without a class would get this one.
            "claim_ref": {"namespace": args.namespace, "name": args.claim_name},
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
            opts=child(self, [*self._before, *source.ready], delete=removal.ALONE),
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
