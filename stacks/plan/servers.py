"""NATS and etcd: who runs them, and the address that clients are given."""

from collections.abc import Mapping

from recipes.images import mirrored
from stacks.plan.resolved import ServerGroup
from stacks.plan.versions import ETCD_IMAGE, NATS_IMAGE
from stacks.settings.platform import BundledEtcd, BundledNats, ExternalEtcd, ExternalNats, OwnEtcd, OwnNats

NATS_NAME = "dynamo-nats"
ETCD_NAME = "dynamo-etcd"
DATA_VOLUME = "data"
"""Name of the volume claim template of both; a claim is called <this>-<server>-<member>."""

_NATS_PORT = 4222
_ETCD_PORT = 2379


def resolved_nats(
    nats: OwnNats | BundledNats | ExternalNats, namespace: str, release: str, mirrors: Mapping[str, str]
) -> ServerGroup:
    """Return the NATS servers of a platform in that namespace, installed as that Helm release."""
    match nats:
        case OwnNats():
            return ServerGroup(
                kind="own",
                address=f"nats://{_service(NATS_NAME, namespace)}:{_NATS_PORT}",
                members=nats.members,
                image=mirrored(NATS_IMAGE, mirrors),
                storage_class_name=nats.storage_class_name,
                volume_size=nats.volume_size,
            )
        case BundledNats():
            address = f"nats://{_service(f'{release}-nats', namespace)}:{_NATS_PORT}"
            return ServerGroup("bundled", address, 1, None, nats.storage_class_name, None)
        case ExternalNats():
            return ServerGroup("external", nats.address, 0, None, None, None)


def resolved_etcd(
    etcd: OwnEtcd | BundledEtcd | ExternalEtcd, namespace: str, release: str, mirrors: Mapping[str, str]
) -> ServerGroup:
    """Return the etcd members of a platform in that namespace, installed as that Helm release."""
    match etcd:
        case OwnEtcd():
            # Every member by its own name: through one balancing address a client would stay with a member
            # that has lost the others.
            hosts = [f"{ETCD_NAME}-{member}.{ETCD_NAME}-headless" for member in range(etcd.members)]
            return ServerGroup(
                kind="own",
                address=",".join(f"http://{_service(host, namespace)}:{_ETCD_PORT}" for host in hosts),
                members=etcd.members,
                image=mirrored(ETCD_IMAGE, mirrors),
                storage_class_name=etcd.storage_class_name,
                volume_size=etcd.volume_size,
                rejoining=etcd.rejoining,
            )
        case BundledEtcd():
            # As the chart's operator puts it together: without a scheme.
            address = f"{_service(f'{release}-etcd', namespace)}:{_ETCD_PORT}"
            return ServerGroup("bundled", address, 1, None, etcd.storage_class_name, None)
        case ExternalEtcd():
            return ServerGroup("external", ",".join(etcd.addresses), 0, None, None, None)


def claim_names(name: str, group: ServerGroup) -> tuple[str, ...]:
    """Return the volume claims of own members, in the names that their StatefulSet gives them."""
    if group.kind != "own":
        return ()
    return tuple(f"{DATA_VOLUME}-{name}-{member}" for member in range(group.members))


def _service(host: str, namespace: str) -> str:
    return f"{host}.{namespace}.svc.cluster.local"
