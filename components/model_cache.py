"""The volume with the model's files, and the Job that fills or checks it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pulumi
from pulumi_kubernetes.batch.v1 import Job
from pulumi_kubernetes.core.v1 import PersistentVolumeClaim

from components import delete_timeouts

if TYPE_CHECKING:
    from pulumi_kubernetes.batch.v1 import JobSpecArgsDict


@dataclass(frozen=True, slots=True)
class CacheVolume:
    """The claim of a cache that is this stack's own."""

    storage_class_name: str
    size_gib: int
    keep: bool
    """Protect the claim, and leave it in the cluster when it leaves the stack."""


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
                custom_timeouts=pulumi.CustomTimeouts(
                    create=waits, update=waits, delete=delete_timeouts.WITH_PODS
                ),
            ),
        )
        self.register_outputs({"claimName": args.claim_name})

    def _claim(
        self, name: str, args: ModelCacheArgs, volume: CacheVolume, depends_on: list[pulumi.Resource]
    ) -> PersistentVolumeClaim:
        return PersistentVolumeClaim(
            f"{name}-claim",
            metadata={"name": args.claim_name, "namespace": args.namespace},
            spec={
                "access_modes": ["ReadWriteMany"],
                "storage_class_name": volume.storage_class_name,
                "resources": {"requests": {"storage": f"{volume.size_gib}Gi"}},
            },
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=depends_on,
                protect=volume.keep,
                retain_on_delete=volume.keep,
                custom_timeouts=pulumi.CustomTimeouts(delete=delete_timeouts.WITH_CONTENT),
            ),
        )
