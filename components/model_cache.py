"""The volume with the model's files, and the Job that fills it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pulumi
from pulumi_kubernetes.batch.v1 import Job
from pulumi_kubernetes.core.v1 import PersistentVolumeClaim

if TYPE_CHECKING:
    from pulumi_kubernetes.batch.v1 import JobSpecArgsDict

_DELETE_TIMEOUT = "600s"


@dataclass(frozen=True, slots=True)
class ModelCacheArgs:
    """Inputs of `ModelCache`."""

    namespace: str
    claim_name: str
    storage_class_name: str
    size_gib: int
    job_name: str
    job_spec: dict[str, Any]
    """A Kubernetes JobSpec that is safe to run again."""
    download_timeout_seconds: int
    keep: bool
    """Protect the claim, and leave it in the cluster when it leaves the stack."""


class ModelCache(pulumi.ComponentResource):
    """A claim that several nodes mount at once, filled before anything reads it."""

    claim: PersistentVolumeClaim
    download: Job
    """What every reader depends on: the provider waits until the Job is complete."""

    def __init__(
        self,
        name: str,
        args: ModelCacheArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {
            "namespace": args.namespace,
            "claimName": args.claim_name,
            "storageClassName": args.storage_class_name,
            "sizeGib": args.size_gib,
        }
        super().__init__("dynamo-stack:components:ModelCache", name, inputs, opts)
        self.claim = PersistentVolumeClaim(
            f"{name}-claim",
            metadata={"name": args.claim_name, "namespace": args.namespace},
            spec={
                "access_modes": ["ReadWriteMany"],
                "storage_class_name": args.storage_class_name,
                "resources": {"requests": {"storage": f"{args.size_gib}Gi"}},
            },
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=depends_on,
                protect=args.keep,
                retain_on_delete=args.keep,
                custom_timeouts=pulumi.CustomTimeouts(delete=_DELETE_TIMEOUT),
            ),
        )
        waits = f"{args.download_timeout_seconds}s"
        self.download = Job(
            f"{name}-download",
            metadata={"name": args.job_name, "namespace": args.namespace},
            spec=cast("JobSpecArgsDict", args.job_spec),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*depends_on, self.claim],
                custom_timeouts=pulumi.CustomTimeouts(create=waits, update=waits, delete=_DELETE_TIMEOUT),
            ),
        )
        self.register_outputs({"claimName": args.claim_name})
