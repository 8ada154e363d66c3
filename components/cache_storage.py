"""File systems that hold the model for many nodes."""

from collections.abc import Mapping

import pulumi
import pulumi_aws as aws

from components.model_cache import FileSystem
from components.options import Resources, child
from recipes.model_files import IMAGE_USER
from stacks.settings.cluster import EfsStorage, LustreStorage

_Ports = tuple[tuple[int, int], ...]

_NFS_PORTS = ((2049, 2049),)
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
_LUSTRE_PORTS = ((988, 988), (1018, 1023))
# The service takes 5 to 15 minutes, and longer to let go of its network interfaces.
_LUSTRE_TIMEOUTS = pulumi.CustomTimeouts(create="45m", update="60m", delete="30m")


class CacheStorage(pulumi.ComponentResource):
    """What stands behind the model cache's claim.

    The stack makes the file system itself. One that a CSI driver makes for a claim would outlive the cluster,
    and its network interfaces would hold the subnets.

    Args:
        title: the file system and the PersistentVolume that stands for it have this name.
        zone: of a Lustre. Of an EFS: that of the mount target which all nodes use; None: each node that of
            its own zone.
        vpc_id: with the subnets.
        clients: security group of the nodes that mount it.
        subnet_ids: zone of the region -> private subnet.
        keep: protect the file system; what is in it took a download.

    """

    file_system: FileSystem

    def __init__(
        self,
        name: str,
        storage: LustreStorage | EfsStorage,
        *,
        title: str,
        zone: str | None,
        size_gib: int,
        vpc_id: pulumi.Input[str],
        clients: pulumi.Input[str],
        subnet_ids: Mapping[str, pulumi.Input[str]],
        keep: bool,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("dynamo-stack:components:CacheStorage", name, {"name": title}, opts)
        self._name = name
        self._title = title
        self._keep = keep
        self._vpc_id = vpc_id
        self._clients = clients
        self._subnet_ids = subnet_ids
        if isinstance(storage, LustreStorage):
            self.file_system = self._lustre(subnet_ids[str(zone)], size_gib, storage.throughput)
        else:
            self.file_system = self._efs(zone)
        self.register_outputs({"name": title})

    def _lustre(self, subnet_id: pulumi.Input[str], size_gib: int, throughput: int) -> FileSystem:
        group, rules = self._door("lustre", _LUSTRE_PORTS)
        # Its servers open connections of their own to the nodes: both tables of
        # https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html.
        out, into = aws.vpc.SecurityGroupEgressRule, aws.vpc.SecurityGroupIngressRule
        rules += [
            self._rule(*rule, span)
            for span in _LUSTRE_PORTS
            for rule in (
                (out, f"lustre-{span[0]}-to-nodes", group.id, self._clients),
                (into, f"lustre-{span[0]}-from-servers", self._clients, group.id),
            )
        ]
        made = aws.fsx.LustreFileSystem(
            f"{self._name}-lustre",
            subnet_ids=subnet_id,
            security_group_ids=[group.id],
            deployment_type="PERSISTENT_2",
            storage_type="SSD",
            storage_capacity=size_gib,
            per_unit_storage_throughput=throughput,
            # Kernels from 6 on refuse older ones.
            file_system_type_version="2.15",
            data_compression_type="LZ4",
            # It is a cache: the download brings everything again, and a backup would be paid for after it.
            automatic_backup_retention_days=0,
            skip_final_backup=True,
            tags={"Name": self._title},
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=self._keep,
                # FSx refuses a file system whose servers cannot reach each other by its group
                # (https://docs.aws.amazon.com/fsx/latest/LustreGuide/cannot-create-fs.html).
                depends_on=rules,
                custom_timeouts=_LUSTRE_TIMEOUTS,
            ),
        )
        attributes: dict[str, pulumi.Input[str]] = {"dnsname": made.dns_name, "mountname": made.mount_name}
        return FileSystem(self._title, made.id, attributes, is_lustre=True)

    def _efs(self, mounted_in: str | None) -> FileSystem:
        name, title = self._name, self._title
        group, rules = self._door("efs", _NFS_PORTS)
        made = aws.efs.FileSystem(
            f"{name}-file-system",
            creation_token=title,
            encrypted=True,
            throughput_mode="elastic",
            tags={"Name": title},
            opts=child(self, protect=self._keep),
        )
        targets = {
            zone: aws.efs.MountTarget(
                f"{name}-{zone}",
                file_system_id=made.id,
                subnet_id=subnet_id,
                security_groups=[group.id],
                opts=child(self),
            )
            for zone, subnet_id in self._subnet_ids.items()
        }
        # Root owns the root. Clients of this access point act as the images' user, in a directory of theirs.
        point = aws.efs.AccessPoint(
            f"{name}-directory",
            file_system_id=made.id,
            posix_user={"uid": IMAGE_USER, "gid": IMAGE_USER},
            root_directory={
                "path": "/model-cache",
                "creation_info": {"owner_uid": IMAGE_USER, "owner_gid": IMAGE_USER, "permissions": "0770"},
            },
            tags={"Name": title},
            # Its id is in the handle: a node that is told the handle can mount the file system.
            opts=child(self, [*targets.values(), *rules]),
        )
        handle = pulumi.Output.concat(made.id, "::", point.id)
        # The file system's name is known only where a mount target is, and so not in a Local Zone
        # (https://docs.aws.amazon.com/efs/latest/ug/mounting-fs-mount-cmd-dns-name.html).
        attributes: dict[str, pulumi.Input[str]] = {}
        if mounted_in is not None:
            attributes["mounttargetip"] = targets[mounted_in].ip_address
        return FileSystem(title, handle, attributes, is_lustre=False)

    def _door(self, what: str, ports: _Ports) -> tuple[aws.ec2.SecurityGroup, Resources]:
        """A security group that lets the nodes, and for Lustre the servers among themselves, in."""
        group = aws.ec2.SecurityGroup(
            f"{self._name}-{what}",
            name=f"{self._title}-{what}",
            description=f"{what} for the model cache",
            vpc_id=self._vpc_id,
            opts=child(self),
        )
        sources = (("nodes", self._clients), ("itself", group.id))
        rules: Resources = [
            self._rule(aws.vpc.SecurityGroupIngressRule, f"{what}-{span[0]}-{who}", group.id, source, span)
            for span in ports
            for who, source in sources
        ]
        rules.append(self._rule(aws.vpc.SecurityGroupEgressRule, f"{what}-out", group.id, group.id))
        return group, rules

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
