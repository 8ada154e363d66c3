"""Add-ons that run on nodes: cluster DNS and the drivers of volumes."""

from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.storage.v1 import StorageClass

from components import removal
from components.ebs_storage import EBS_DRIVER
from components.eks_cluster import Addon, register_addon
from components.iam import POD_IDENTITY_SERVICE, role
from components.options import Resources, child
from stacks.settings.cluster import RoleSettings

_TIMEOUT = "20m"


@dataclass(frozen=True, slots=True)
class ClusterAddonsArgs:
    """Inputs of `ClusterAddons`."""

    cluster: str
    cluster_name: pulumi.Input[str]
    addons: tuple[Addon, ...]
    roles: RoleSettings
    volume_class_name: str
    """The class of NATS's and etcd's volumes, and the cluster's default."""


class ClusterAddons(pulumi.ComponentResource):
    """What pods need before the first of ours starts."""

    ready: Resources
    """The add-ons and the default class."""

    def __init__(
        self,
        name: str,
        args: ClusterAddonsArgs,
        *,
        cluster: pulumi.ProviderResource,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("dynamo-stack:components:ClusterAddons", name, {"cluster": args.cluster}, opts)
        self._name, self._args = name, args
        addons = [self._addon(addon, depends_on) for addon in args.addons]
        default = StorageClass(
            f"{name}-volumes",
            metadata={
                "name": args.volume_class_name,
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
                provider=cluster,
                depends_on=addons,
                custom_timeouts=pulumi.CustomTimeouts(delete=removal.ALONE),
            ),
        )
        self.ready = [*addons, default]
        self.register_outputs({})

    def _addon(self, addon: Addon, depends_on: Resources) -> pulumi.Resource:
        name, args = f"{self._name}-{addon.name}", self._args
        owner, policies = None, list[pulumi.Resource]()
        if addon.service_account:
            owner, policies = role(
                name,
                f"{args.cluster}-{addon.name}",
                POD_IDENTITY_SERVICE,
                addon.policies,
                child(self),
                rules=args.roles,
            )
        opts = child(self, [*depends_on, *policies], timeout=_TIMEOUT)
        return register_addon(name, addon, args.cluster_name, owner, opts)
