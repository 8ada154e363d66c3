"""File systems that hold the model for many nodes."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from components.model_volume import FileSystem, efs, lustre
from components.options import Resources, child
from components.storage_kinds import Efs, Lustre

_Ports = tuple[tuple[int, int], ...]

_NFS_PORTS = ((2049, 2049),)
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
_LUSTRE_PORTS = ((988, 988), (1018, 1023))
_USER = 1000
"""Under which the runtime's images write."""
# The service takes 5 to 15 minutes, and longer to let go of its network interfaces.
_LUSTRE_TIMEOUTS = pulumi.CustomTimeouts(create="45m", update="60m", delete="30m")


@dataclass(frozen=True, slots=True)
class CacheStorageArgs:
    """Inputs of `CacheStorage`."""

    name: str
    """The file system and the PersistentVolume that stands for it have this name."""
    vpc_id: pulumi.Input[str]
    clients: pulumi.Input[str]
    """Security group of the nodes that mount it."""
    subnet_ids: Mapping[str, pulumi.Input[str]]
    """Zone of the region -> private subnet."""
    storage: Lustre | Efs
    keep: bool
    """Protect the file system; what is in it took a download."""


class CacheStorage(pulumi.ComponentResource):
    """What stands behind the model cache's claim.

    The stack makes the file system itself. One that a CSI driver makes for a claim would outlive the cluster,
    and its network interfaces would hold the subnets.
    """

    file_system: FileSystem

    def __init__(self, name: str, args: CacheStorageArgs, opts: pulumi.ResourceOptions) -> None:
        super().__init__("dynamo-stack:components:CacheStorage", name, {"name": args.name}, opts)
        self._name, self._args = name, args
        match args.storage:
            case Lustre():
                self.file_system = self._lustre(args.storage)
            case Efs(mounted_in):
                self.file_system = self._efs(mounted_in)
        self.register_outputs({})

    def _lustre(self, storage: Lustre) -> FileSystem:
        group, rules = self._door("lustre", _LUSTRE_PORTS)
        rules += self._way_back("lustre", group, _LUSTRE_PORTS)
        made = aws.fsx.LustreFileSystem(
            f"{self._name}-lustre",
            subnet_ids=self._args.subnet_ids[storage.zone],
            security_group_ids=[group.id],
            deployment_type="PERSISTENT_2",
            storage_type="SSD",
            storage_capacity=storage.size_gib,
            per_unit_storage_throughput=storage.throughput,
            # Kernels from 6 on refuse older ones.
            file_system_type_version="2.15",
            data_compression_type="LZ4",
            # It is a cache: the download brings everything again, and a backup would be paid for after it.
            automatic_backup_retention_days=0,
            skip_final_backup=True,
            tags={"Name": self._args.name},
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=self._args.keep,
                # FSx refuses a file system whose servers cannot reach each other by its group
                # (https://docs.aws.amazon.com/fsx/latest/LustreGuide/cannot-create-fs.html).
                depends_on=rules,
                custom_timeouts=_LUSTRE_TIMEOUTS,
            ),
        )
        attributes: dict[str, pulumi.Input[str]] = {"dnsname": made.dns_name, "mountname": made.mount_name}
        return lustre(self._args.name, made.id, attributes, [made])

    def _efs(self, mounted_in: str | None) -> FileSystem:
        name, args = self._name, self._args
        inside = child(self)
        group, rules = self._door("efs", _NFS_PORTS)
        made = aws.efs.FileSystem(
            f"{name}-file-system",
            creation_token=args.name,
            encrypted=True,
            throughput_mode="elastic",
            tags={"Name": args.name},
            opts=child(self, protect=args.keep),
        )
        # Root owns the root. Clients of this access point act as the images' user, in a directory of theirs.
        point = aws.efs.AccessPoint(
            f"{name}-directory",
            file_system_id=made.id,
            posix_user={"uid": _USER, "gid": _USER},
            root_directory={
                "path": "/model-cache",
                "creation_info": {"owner_uid": _USER, "owner_gid": _USER, "permissions": "0770"},
            },
            tags={"Name": args.name},
            opts=inside,
        )
        targets = {
            zone: aws.efs.MountTarget(
                f"{name}-{zone}",
                file_system_id=made.id,
                subnet_id=subnet_id,
                security_groups=[group.id],
                opts=inside,
            )
            for zone, subnet_id in args.subnet_ids.items()
        }
        handle = pulumi.Output.concat(made.id, "::", point.id)
        # The file system's name is known only where a mount target is, and so not in a Local Zone
        # (https://docs.aws.amazon.com/efs/latest/ug/mounting-fs-mount-cmd-dns-name.html).
        attributes: dict[str, pulumi.Input[str]] = {}
        if mounted_in is not None:
            attributes["mounttargetip"] = targets[mounted_in].ip_address
        return efs(args.name, handle, attributes, [point, *targets.values(), *rules])

    def _door(self, what: str, ports: _Ports) -> tuple[aws.ec2.SecurityGroup, Resources]:
        """A security group that lets the nodes, and for Lustre the servers among themselves, in."""
        group = aws.ec2.SecurityGroup(
            f"{self._name}-{what}",
            name=f"{self._args.name}-{what}",
            description=f"{what} for the model cache",
            vpc_id=self._args.vpc_id,
            opts=child(self),
        )
        sources = (("nodes", self._args.clients), ("itself", group.id))
        rules: Resources = [
            self._rule(aws.vpc.SecurityGroupIngressRule, f"{what}-{span[0]}-{who}", group.id, source, span)
            for span in ports
            for who, source in sources
        ]
        rules.append(self._rule(aws.vpc.SecurityGroupEgressRule, f"{what}-out", group.id, group.id))
        return group, rules

    def _way_back(self, what: str, group: aws.ec2.SecurityGroup, ports: _Ports) -> Resources:
        """Let the servers of Lustre reach the nodes, to which they open connections of their own.

        Both tables of https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html.
        """
        nodes = self._args.clients
        out, into = aws.vpc.SecurityGroupEgressRule, aws.vpc.SecurityGroupIngressRule
        return [
            self._rule(*rule, span)
            for span in ports
            for rule in (
                (out, f"{what}-{span[0]}-to-nodes", group.id, nodes),
                (into, f"{what}-{span[0]}-from-servers", nodes, group.id),
            )
        ]

    def _rule(
        self,
        kind: type[aws.vpc.SecurityGroupEgressRule | aws.vpc.SecurityGroupIngressRule],
        name: str,
        group: pulumi.Input[str],
        other: pulumi.Input[str],
        span: tuple[int, int] | None = None,
    ) -> pulumi.Resource:
        """A rule of the group for what goes to or comes from the other; without ports for all of it."""
        first, last = span or (None, None)
        return kind(
            f"{self._name}-{name}",
            security_group_id=group,
            referenced_security_group_id=other,
            ip_protocol="tcp" if span else "-1",
            from_port=first,
            to_port=last,
            opts=child(self),
        )
