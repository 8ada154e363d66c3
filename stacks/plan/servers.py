"""NATS and etcd as they are typed, and as they are run or found."""

from collections.abc import Mapping
from dataclasses import dataclass

from components import etcd_command, nats_configuration
from components.servers import (
    BundledServers,
    EtcdArgs,
    EtcdServers,
    ExternalServers,
    NatsArgs,
    NatsServers,
    StatefulServersArgs,
    service_host,
)
from recipes.graph_manifest import NODES_WITHOUT_GPUS
from recipes.images import mirrored
from stacks.plan.versions import ETCD_IMAGE, NATS_IMAGE
from stacks.plan.volume_sizes import size_in_gib
from stacks.settings.platform import (
    BundledEtcd,
    BundledNats,
    ExternalEtcd,
    ExternalNats,
    OwnEtcd,
    OwnNats,
    OwnPlatform,
    namespace_name,
)

NATS_NAME = "dynamo-nats"
ETCD_NAME = "dynamo-etcd"

_GIB = 2**30
# etcd's own default, far above what discovery needs.
_LARGEST_ETCD_QUOTA_BYTES = 2 * _GIB
# The log, snapshots and the second copy that defragmentation writes stand beside the database.
_ETCD_SHARE_OF_VOLUME = 3
# A file system of 10 GiB holds less than 10 GiB; JetStream stops for good when a write finds no room.
_STREAM_PERCENT_OF_VOLUME = 90


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """Where the servers of a platform run."""

    platform: OwnPlatform
    release: str
    """Name of the platform's Helm release."""
    mirrors: Mapping[str, str]
    keep_volumes: bool

    @property
    def namespace(self) -> str:
        """Of the platform."""
        return namespace_name(self.platform.namespace)


def nats_servers(nats: OwnNats | BundledNats | ExternalNats, place: ServerPlace) -> NatsServers:
    """Return the NATS servers of a platform."""
    match nats:
        case OwnNats():
            volume_bytes = size_in_gib(nats.volume_size) * _GIB
            return NatsArgs(
                _members(NATS_NAME, NATS_IMAGE, nats, place),
                max_file_store_bytes=volume_bytes * _STREAM_PERCENT_OF_VOLUME // 100,
            )
        case BundledNats():
            host = service_host(f"{place.release}-nats", place.namespace)
            return BundledServers(f"nats://{host}:{nats_configuration.CLIENT_PORT}", nats.storage_class_name)
        case ExternalNats():
            return ExternalServers(nats.address)


def etcd_servers(etcd: OwnEtcd | BundledEtcd | ExternalEtcd, place: ServerPlace) -> EtcdServers:
    """Return the etcd members of a platform."""
    match etcd:
        case OwnEtcd():
            volume_bytes = size_in_gib(etcd.volume_size) * _GIB
            return EtcdArgs(
                _members(ETCD_NAME, ETCD_IMAGE, etcd, place),
                quota_bytes=min(_LARGEST_ETCD_QUOTA_BYTES, volume_bytes // _ETCD_SHARE_OF_VOLUME),
                rejoining=etcd.rejoining,
            )
        case BundledEtcd():
            # As the chart's operator puts it together: without a scheme.
            host = service_host(f"{place.release}-etcd", place.namespace)
            return BundledServers(f"{host}:{etcd_command.CLIENT_PORT}", etcd.storage_class_name)
        case ExternalEtcd():
            return ExternalServers(",".join(etcd.addresses))


def _members(name: str, image: str, typed: OwnNats | OwnEtcd, place: ServerPlace) -> StatefulServersArgs:
    return StatefulServersArgs(
        name=name,
        namespace=place.namespace,
        members=typed.members,
        image=mirrored(image, place.mirrors),
        storage_class_name=typed.storage_class_name,
        volume_size=typed.volume_size,
        keep_volumes=place.keep_volumes,
        node_affinity=NODES_WITHOUT_GPUS,
        ready_timeout_seconds=place.platform.install_timeout_seconds,
    )
