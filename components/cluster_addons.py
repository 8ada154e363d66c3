"""Add-ons that run on nodes: cluster DNS and the drivers of volumes."""

import pulumi
import pulumi_aws as aws
from pulumi_kubernetes.storage.v1 import StorageClass

from components import deletion
from components.ebs_storage import EBS_DRIVER
from components.eks_cluster import Addon, register_addon
from components.iam import POD_IDENTITY_SERVICE, role
from components.options import Resources, child
from stacks.settings.cluster import EksClusterSettings

_TIMEOUT = "20m"


class ClusterAddons(pulumi.ComponentResource):
    """What pods need before the first of ours starts, and so depend on: the add-ons and the default class.

    `volume_class_name` is the class of NATS's and etcd's volumes, and the cluster's default.
    """

    def __init__(
        self,
        name: str,
        settings: EksClusterSettings,
        *,
        addons: tuple[Addon, ...],
        volume_class_name: str,
        cluster: aws.eks.Cluster,
        provider: pulumi.ProviderResource,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("dynamo-stack:components:ClusterAddons", name, {"cluster": settings.name}, opts)
        self._name = name
        self._settings = settings
        self._cluster = cluster
        made = [self._addon(addon, depends_on) for addon in addons]
        StorageClass(
            f"{name}-volumes",
            metadata={
                "name": volume_class_name,
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
                custom_timeouts=pulumi.CustomTimeouts(delete=deletion.ALONE),
            ),
        )
        self.register_outputs({"volumeClassName": volume_class_name})

    def _addon(self, addon: Addon, depends_on: Resources) -> pulumi.Resource:
        name = f"{self._name}-{addon.name}"
        owner, policies = None, list[pulumi.Resource]()
        if addon.service_account:
            owner, policies = role(
                name,
                f"{self._settings.name}-{addon.name}",
                POD_IDENTITY_SERVICE,
                addon.policies,
                child(self),
                rules=self._settings.roles,
            )
        opts = child(self, [*depends_on, *policies], timeout=_TIMEOUT)
        return register_addon(name, addon, self._cluster.name, owner, opts)
