"""The class of a model cache that one node mounts: a disk of Amazon EBS."""

import pulumi
from pulumi_kubernetes.storage.v1 import StorageClass

from components.options import Resources
from stacks.settings.cluster import EbsStorage as EbsSettings

EBS_DRIVER = "ebs.csi.aws.com"

_IOPS_PER_MIB = 4
"""gp3 gives a quarter of a MiB/s for each of its IOPS
(https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html)."""
_INCLUDED_IOPS = 3000


class EbsStorage(pulumi.ComponentResource):
    """A class whose claims become gp3 disks."""

    storage_class: StorageClass

    def __init__(
        self,
        name: str,
        settings: EbsSettings,
        *,
        class_name: str,
        cluster: pulumi.ProviderResource,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"storageClassName": class_name}
        super().__init__("dynamo-stack:components:EbsStorage", name, inputs, opts)
        self.storage_class = StorageClass(
            f"{name}-class",
            metadata={"name": class_name},
            provisioner=EBS_DRIVER,
            parameters={
                "type": "gp3",
                "encrypted": "true",
                "throughput": str(settings.throughput),
                "iops": str(max(_INCLUDED_IOPS, _IOPS_PER_MIB * settings.throughput)),
            },
            # The disk is made in the zone of the node that fills it, which is the one that loads from it.
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            reclaim_policy="Delete",
            opts=pulumi.ResourceOptions(
                parent=self,
                provider=cluster,
                depends_on=depends_on,
                # Kubernetes refuses to change them; a disk that the class made stays as it is.
                replace_on_changes=["parameters"],
                delete_before_replace=True,
            ),
        )
        self.register_outputs(inputs)
