"""Add-ons that run on nodes: cluster DNS and the drivers of volumes."""

import pulumi
import pulumi_aws as aws
from pulumi_kubernetes.storage.v1 import StorageClass

from components.ebs_storage import EBS_DRIVER
from components.eks_cluster import register_addon
from components.iam import POD_IDENTITY_SERVICE, ManagedPolicy, role
from components.options import ALONE, Resources, child
from stacks.plan.infrastructure.eks_plan import EBS_ADDON, EksPlan

VOLUME_CLASS = "gp3"
"""Class of NATS's and etcd's volumes, and the cluster's default."""
_TIMEOUT = "20m"


class ClusterAddons(pulumi.ComponentResource):
    """What pods need before the first of ours starts, and so depend on: the add-ons and the default class."""

    def __init__(
        self,
        name: str,
        plan: EksPlan,
        *,
        cluster: aws.eks.Cluster,
        provider: pulumi.ProviderResource,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("dynamo-stack:components:ClusterAddons", name, {"cluster": plan.cluster.name}, opts)
        made: Resources = []
        for addon in plan.node_addons:
            title, owner, policies = f"{name}-{addon}", None, list[pulumi.Resource]()
            if addon == EBS_ADDON:
                owner, policies = role(
                    title,
                    f"{plan.cluster.name}-{addon}",
                    POD_IDENTITY_SERVICE,
                    [ManagedPolicy.EBS_VOLUMES],
                    child(self),
                    rules=plan.cluster.roles,
                )
            options = child(self, [*depends_on, *policies], timeout=_TIMEOUT)
            made.append(register_addon(title, plan, addon, cluster, owner, opts=options))
        StorageClass(
            f"{name}-volumes",
            metadata={
                "name": VOLUME_CLASS,
                "annotations": {
                    # EKS has had no default class since 1.30: claims that name none wait for ever.
                    "storageclass.kubernetes.io/is-default-class": "true"
                },
            },
            provisioner=EBS_DRIVER,
            parameters={"type": "gp3", "encrypted": "true"},
            # A volume is made in the zone in which its pod lands, not in the first of the list.
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            opts=pulumi.ResourceOptions(
                parent=self,
                provider=provider,
                depends_on=made,
                custom_timeouts=pulumi.CustomTimeouts(delete=ALONE),
            ),
        )
        self.register_outputs({"volumeClassName": VOLUME_CLASS})
