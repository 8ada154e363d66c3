"""File systems that hold the model for many nodes, and the classes by which claims get them."""

from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_aws as aws
from pulumi_kubernetes.storage.v1 import StorageClass

LUSTRE_DRIVER = "fsx.csi.aws.com"
EFS_DRIVER = "efs.csi.aws.com"
EBS_DRIVER = "ebs.csi.aws.com"

_NFS_PORT = 2049
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
_LUSTRE_PORTS = ((988, 988), (1018, 1023))


@dataclass(frozen=True, slots=True)
class LustreClass:
    """A class whose claims become FSx for Lustre file systems of their own."""

    subnet_id: pulumi.Input[str]
    """In the zone of the nodes that mount it: a file system lives in one."""
    throughput: Literal[125, 250, 500, 1000]
    """MB/s a TiB, the tiers of PERSISTENT_2."""


@dataclass(frozen=True, slots=True)
class EfsClass:
    """A class whose claims become access points of one EFS file system."""

    subnet_ids: dict[str, pulumi.Input[str]]
    """Zone -> the subnet of its mount target."""


@dataclass(frozen=True, slots=True)
class CacheStorageArgs:
    """Inputs of `CacheStorage`."""

    name: str
    class_name: str
    vpc_id: pulumi.Input[str]
    clients: pulumi.Input[str]
    """Security group of the nodes that mount it."""
    kind: LustreClass | EfsClass
    keep: bool


class CacheStorage(pulumi.ComponentResource):
    """What stands behind the model cache's claim."""

    storage_class: StorageClass

    def __init__(
        self,
        name: str,
        args: CacheStorageArgs,
        *,
        cluster: pulumi.ProviderResource,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(
            "dynamo-stack:components:CacheStorage", name, {"storageClassName": args.class_name}, opts
        )
        self._name, self._args = name, args
        self._in_cluster = pulumi.ResourceOptions(
            parent=self,
            provider=cluster,
            depends_on=depends_on,
            # Kubernetes refuses to change it; volumes that the class made keep the policy that they have.
            replace_on_changes=["reclaimPolicy"],
            delete_before_replace=True,
        )
        match args.kind:
            case LustreClass():
                self.storage_class = self._lustre(args.kind)
            case EfsClass():
                self.storage_class = self._efs(args.kind)
        self.register_outputs({"storageClassName": args.class_name})

    def _lustre(self, kind: LustreClass) -> StorageClass:
        group = self._door("lustre", _LUSTRE_PORTS)
        return StorageClass(
            f"{self._name}-class",
            metadata={"name": self._args.class_name},
            provisioner=LUSTRE_DRIVER,
            parameters={
                "subnetId": kind.subnet_id,
                "securityGroupIds": group.id,
                "deploymentType": "PERSISTENT_2",
                "storageType": "SSD",
                "perUnitStorageThroughput": str(kind.throughput),
                # Kernels from 6 on refuse older ones.
                "fileSystemTypeVersion": "2.15",
                "dataCompressionType": "LZ4",
                "automaticBackupRetentionDays": "0",
            },
            reclaim_policy="Retain" if self._args.keep else "Delete",
            opts=self._in_cluster,
        )

    def _efs(self, kind: EfsClass) -> StorageClass:
        name, args = self._name, self._args
        group = self._door("efs", ((_NFS_PORT, _NFS_PORT),))
        file_system = aws.efs.FileSystem(
            f"{name}-file-system",
            creation_token=args.name,
            encrypted=True,
            throughput_mode="elastic",
            tags={"Name": args.name},
            opts=pulumi.ResourceOptions(parent=self, protect=args.keep, retain_on_delete=args.keep),
        )
        targets: list[pulumi.Resource] = [
            aws.efs.MountTarget(
                f"{name}-{zone}",
                file_system_id=file_system.id,
                subnet_id=subnet_id,
                security_groups=[group.id],
                opts=pulumi.ResourceOptions(parent=self),
            )
            for zone, subnet_id in kind.subnet_ids.items()
        ]
        return StorageClass(
            f"{name}-class",
            metadata={"name": args.class_name},
            provisioner=EFS_DRIVER,
            parameters={
                "provisioningMode": "efs-ap",
                "fileSystemId": file_system.id,
                "directoryPerms": "0770",
                "uid": "1000",
                "gid": "1000",
            },
            reclaim_policy="Retain" if args.keep else "Delete",
            # Without a mount target in its zone a node waits for the volume until it gives up.
            opts=pulumi.ResourceOptions.merge(self._in_cluster, pulumi.ResourceOptions(depends_on=targets)),
        )

    def _door(self, what: str, ports: tuple[tuple[int, int], ...]) -> aws.ec2.SecurityGroup:
        """A security group that lets the nodes, and for Lustre the servers among themselves, in."""
        child = pulumi.ResourceOptions(parent=self)
        group = aws.ec2.SecurityGroup(
            f"{self._name}-{what}",
            name=f"{self._args.name}-{what}",
            description=f"{what} for the model cache",
            vpc_id=self._args.vpc_id,
            opts=child,
        )
        for first, last in ports:
            for who, source in (("nodes", self._args.clients), ("itself", group.id)):
                aws.vpc.SecurityGroupIngressRule(
                    f"{self._name}-{what}-{first}-{who}",
                    security_group_id=group.id,
                    referenced_security_group_id=source,
                    ip_protocol="tcp",
                    from_port=first,
                    to_port=last,
                    opts=child,
                )
        aws.vpc.SecurityGroupEgressRule(
            f"{self._name}-{what}-out",
            security_group_id=group.id,
            referenced_security_group_id=group.id,
            ip_protocol="-1",
            opts=child,
        )
        return group
