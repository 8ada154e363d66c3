"""The volume with the model's files, and the Job that fills or checks it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pulumi
from pulumi_kubernetes.batch.v1 import Job
from pulumi_kubernetes.core.v1 import PersistentVolumeClaim

from components import delete_timeouts
from components.file_system_volume import FileSystem, VolumeClaim, file_system_volume
from components.keeping import Keep

if TYPE_CHECKING:
    from pulumi_kubernetes.batch.v1 import JobSpecArgsDict
    from pulumi_kubernetes.core.v1 import PersistentVolumeClaimSpecArgsDict


@dataclass(frozen=True, slots=True)
class CacheVolume:
    """The claim of a cache that is this stack's own."""

    storage_class_name: str
    """Empty where `file_system` stands behind it."""
    size_gib: int
    keep: Keep
    volume_name: str | None = None
    """Of the PersistentVolume for the file system; None where a class makes the volume."""
    file_system: FileSystem | None = None
    """What the volume stands for."""
    one_node: bool = False
    """All pods that mount it are on one node, which is all that a disk can do."""


@dataclass(frozen=True, slots=True)
class LostClaim:
    """A claim that the state has and the cluster has not."""

    uid: str
    words: str
    """For a person whose `up` meets it unchanged, because it has refreshed nothing."""


@dataclass(frozen=True, slots=True)
class ModelCacheArgs:
    """Inputs of `ModelCache`."""

    namespace: str
    claim_name: str
    volume: CacheVolume | None
    """None where the claim exists already and is somebody else's."""
    job_name: str
    job_spec: dict[str, Any]
    """A Kubernetes JobSpec that is safe to run again: it fills the volume, or checks one that exists."""
    job_timeout_seconds: int
    found_uid: str | None = None
    """Of a claim that is somebody else's, as the cluster has it; None where nobody can tell."""
    lost: LostClaim | None = None


class ModelCache(pulumi.ComponentResource):
    """A claim that several nodes mount at once, filled before anything reads it."""

    claim: PersistentVolumeClaim | None
    job: Job
    """What every reader depends on: the provider waits until the Job is complete."""

    def __init__(
        self,
        name: str,
        args: ModelCacheArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs: dict[str, Any] = {"namespace": args.namespace, "claimName": args.claim_name}
        if args.volume:
            inputs |= {"storageClassName": args.volume.storage_class_name, "sizeGib": args.volume.size_gib}
            if args.volume.volume_name:
                inputs["volumeName"] = args.volume.volume_name
        super().__init__("dynamo-stack:components:ModelCache", name, inputs, opts)
        self.claim = self._claim(name, args, args.volume, depends_on) if args.volume else None
        before_job = [*depends_on, self.claim] if self.claim else depends_on
        waits = f"{args.job_timeout_seconds}s"
        self.job = Job(
            f"{name}-download" if args.volume else f"{name}-check",
            metadata={
                "name": args.job_name,
                "namespace": args.namespace,
                # A Job that used up its attempts stays failed: without this the next `up` waits for it
                # again, and fails, until somebody deletes it (pulumi-kubernetes 4.32, provider/diff.go).
                "annotations": {"pulumi.com/replaceUnready": "true"},
            },
            spec=cast("JobSpecArgsDict", args.job_spec),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=before_job,
                # A Job that is done says nothing of a claim that was made again after it. A stack of before
                # has no trigger in its state, and the engine replaces nothing for a first one
                # (pulumi/pulumi pkg/resource/deploy/step_generator.go, shouldTriggerReplace).
                replacement_trigger=_uid(self.claim, args.lost) if self.claim else args.found_uid,
                # The engine's own replacements come first and then delete: a Job of this name exists.
                delete_before_replace=True,
                custom_timeouts=pulumi.CustomTimeouts(
                    create=waits, update=waits, delete=delete_timeouts.WITH_PODS
                ),
            ),
        )
        self.register_outputs({"claimName": args.claim_name})

    def _claim(
        self, name: str, args: ModelCacheArgs, volume: CacheVolume, depends_on: list[pulumi.Resource]
    ) -> PersistentVolumeClaim:
        before = list(depends_on)
        if volume.file_system and volume.volume_name:
            who = VolumeClaim(volume.volume_name, args.namespace, args.claim_name, volume.size_gib)
            opts = pulumi.ResourceOptions(parent=self, depends_on=depends_on)
            before.append(file_system_volume(f"{name}-volume", who, volume.file_system, opts))
        spec: dict[str, Any] = {
            "access_modes": ["ReadWriteOnce" if volume.one_node else "ReadWriteMany"],
            "storage_class_name": volume.storage_class_name,
            "resources": {"requests": {"storage": f"{volume.size_gib}Gi"}},
        }
        if volume.volume_name:
            spec["volume_name"] = volume.volume_name
        return PersistentVolumeClaim(
            f"{name}-claim",
            metadata={"name": args.claim_name, "namespace": args.namespace},
            spec=cast("PersistentVolumeClaimSpecArgsDict", spec),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=before,
                protect=volume.keep.protects,
                retain_on_delete=volume.keep.retains,
                # Kubernetes lets a claim grow only where its class may, and this one has none. The file
                # system grows, and the volume says so.
                ignore_changes=["spec.resources"] if volume.volume_name else None,
                custom_timeouts=pulumi.CustomTimeouts(delete=delete_timeouts.WITH_CONTENT),
            ),
        )


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
