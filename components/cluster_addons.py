"""Add-ons that run on nodes: cluster DNS and the drivers of volumes."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
from pulumi_kubernetes.storage.v1 import StorageClass

from components import delete_timeouts
from components.ebs_storage import EBS_DRIVER
from components.iam import POD_IDENTITY_SERVICE, ManagedPolicy, role

_TIMEOUT = "20m"


@dataclass(frozen=True, slots=True)
class NodeAddon:
    """An add-on, its version and what its controller may do in the account."""

    name: str
    version: str
    service_account: str | None
    """None: it needs no permission."""
    policy: ManagedPolicy | None
    configuration: str | None = None
    """JSON, by the schema of its version."""


@dataclass(frozen=True, slots=True)
class ClusterAddonsArgs:
    """Inputs of `ClusterAddons`."""

    cluster: str
    cluster_name: pulumi.Input[str]
    addons: tuple[NodeAddon, ...]
    volume_class_name: str
    """The class of NATS's and etcd's volumes, and the cluster's default."""


class ClusterAddons(pulumi.ComponentResource):
    """What pods need before the first of ours starts."""

    ready: list[pulumi.Resource]
    """The add-ons and the default class."""

    def __init__(
        self,
        name: str,
        args: ClusterAddonsArgs,
        *,
        cluster: pulumi.ProviderResource,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
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
                custom_timeouts=pulumi.CustomTimeouts(delete=delete_timeouts.ALONE),
            ),
        )
        self.ready = [*addons, default]
        self.register_outputs({})

    def _addon(self, addon: NodeAddon, depends_on: list[pulumi.Resource]) -> pulumi.Resource:
        name, args = self._name, self._args
        child = pulumi.ResourceOptions(parent=self)
        identity: list[aws.eks.AddonPodIdentityAssociationArgs] | None = None
        before = list(depends_on)
        if addon.service_account:
            controller, policies = role(
                f"{name}-{addon.name}",
                f"{args.cluster}-{addon.name}",
                POD_IDENTITY_SERVICE,
                [addon.policy] if addon.policy else [],
                child,
            )
            identity = [
                aws.eks.AddonPodIdentityAssociationArgs(
                    role_arn=controller.arn, service_account=addon.service_account
                )
            ]
            before += policies
        return aws.eks.Addon(
            f"{name}-{addon.name}",
            cluster_name=args.cluster_name,
            addon_name=addon.name,
            addon_version=addon.version,
            configuration_values=addon.configuration,
            pod_identity_associations=identity,
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="PRESERVE",
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=before,
                custom_timeouts=pulumi.CustomTimeouts(create=_TIMEOUT, update=_TIMEOUT, delete=_TIMEOUT),
            ),
        )
